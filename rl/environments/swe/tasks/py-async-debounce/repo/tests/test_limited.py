import asyncio
import unittest

from aiotools import gather_limited


class LimitedTest(unittest.IsolatedAsyncioTestCase):
    async def test_order_of_results(self):
        def job(n):
            async def work():
                for _ in range(5 - n):
                    await asyncio.sleep(0)
                return n

            return work

        self.assertEqual(await gather_limited([job(n) for n in range(5)], 2), [0, 1, 2, 3, 4])
