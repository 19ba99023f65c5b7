import asyncio

from .timing import within


async def gather_limited(jobs, limit, timeout=None):
    """Results of coroutine functions, no more than `limit` running at a time."""
    semaphore = asyncio.Semaphore(limit)

    async def run(job):
        async with semaphore:
            return await within(job, timeout)

    return await asyncio.gather(*[run(job) for job in jobs])
