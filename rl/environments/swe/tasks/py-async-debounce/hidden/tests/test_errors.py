import asyncio
import unittest

from aiotools import gather_limited


class ErrorsTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.log = []

    def job(self, name, fails=False, waits=True):
        async def work():
            self.log.append(f"+{name}")
            try:
                if fails:
                    await asyncio.sleep(0)
                    raise KeyError(name)
                if waits:
                    await asyncio.sleep(30)
                return name
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                self.log.append(f"-{name}")
                raise

        return work

    async def test_an_error_ends_the_others_first(self):
        jobs = [self.job("a"), self.job("b", fails=True), self.job("c"), self.job("never")]
        with self.assertRaises(KeyError):
            await gather_limited(jobs, 3)
        self.assertEqual(sorted(self.log), sorted(["+a", "+b", "+c", "-a", "-c"]))
        self.assertEqual(len(asyncio.all_tasks()), 1)

    async def test_cancelling_the_caller(self):
        task = asyncio.create_task(gather_limited([self.job("a"), self.job("b"), self.job("c")], 2))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(self.log, ["+a", "+b", "-a", "-b"])
        self.assertEqual(len(asyncio.all_tasks()), 1)

    async def test_timeout_of_each(self):
        async def short():
            await asyncio.sleep(0.02)
            return 1

        self.assertEqual(await gather_limited([short] * 6, 1, timeout=0.1), [1] * 6)
        with self.assertRaises(asyncio.TimeoutError):
            await gather_limited([self.job("slow")], 1, timeout=0.01)
        self.assertEqual(self.log, ["+slow", "-slow"])

    async def test_lazily(self):
        running = 0
        taken = 0

        async def work():
            nonlocal running
            running += 1
            await asyncio.sleep(0)
            self.assertLessEqual(taken - done(), 3)
            running -= 1

        finished = []
        done = lambda: len(finished)

        def jobs():
            nonlocal taken
            for _ in range(20):
                taken += 1

                async def each():
                    await work()
                    finished.append(1)

                yield each

        await gather_limited(jobs(), 2)
        self.assertEqual(len(finished), 20)

    async def test_never_more_than_the_limit(self):
        now = most = 0

        async def work():
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1

        await gather_limited([work] * 10, 3)
        self.assertEqual(most, 3)

    async def test_limits(self):
        for limit in (0, -1):
            with self.assertRaises(ValueError):
                await gather_limited([], limit)
        self.assertEqual(await gather_limited([], 5), [])

    async def test_a_generator_that_fails(self):
        def jobs():
            yield self.job("a")
            raise KeyError("no more")

        with self.assertRaises(KeyError):
            await gather_limited(jobs(), 2)
        self.assertEqual(len(asyncio.all_tasks()), 1)
