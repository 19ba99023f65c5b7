import unittest
from datetime import datetime

from cron import next_run


class NextTest(unittest.TestCase):
    def test_every_day(self):
        self.assertEqual(next_run("30 9 * * *", datetime(2024, 5, 6, 10, 0)), datetime(2024, 5, 7, 9, 30))
