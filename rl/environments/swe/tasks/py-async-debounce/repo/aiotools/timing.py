import asyncio


async def within(job, seconds):
    """The result of `job()` within so many seconds; None: however long it takes."""
    return await job()
