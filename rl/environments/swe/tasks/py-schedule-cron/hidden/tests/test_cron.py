import unittest
from datetime import datetime

from cron import next_run


def after(spec, year, month, day, hour=0, minute=0, second=0):
    return next_run(spec, datetime(year, month, day, hour, minute, second)).strftime("%Y-%m-%d %H:%M:%S")


class CronTest(unittest.TestCase):
    def test_steps(self):
        self.assertEqual(after("*/15 * * * *", 2024, 5, 6, 10, 1), "2024-05-06 10:15:00")
        self.assertEqual(after("10-40/10 * * * *", 2024, 5, 6, 10, 40), "2024-05-06 11:10:00")
        self.assertEqual(after("5/20 * * * *", 2024, 5, 6, 10, 6), "2024-05-06 10:25:00")

    def test_last_values_count(self):
        self.assertEqual(after("59 23 31 12 *", 2024, 1, 1), "2024-12-31 23:59:00")
        self.assertEqual(after("* * * * *", 2024, 5, 6, 10, 58), "2024-05-06 10:59:00")
        self.assertEqual(after("0 * * * *", 2024, 5, 6, 22, 30), "2024-05-06 23:00:00")

    def test_strictly_after_without_seconds(self):
        self.assertEqual(after("0 9 * * *", 2024, 5, 6, 9, 0, 0), "2024-05-07 09:00:00")
        self.assertEqual(after("0 9 * * *", 2024, 5, 6, 8, 59, 30), "2024-05-06 09:00:00")
        self.assertEqual(after("* * * * *", 2024, 5, 6, 9, 0, 30), "2024-05-06 09:01:00")

    def test_weekdays(self):
        self.assertEqual(after("0 0 * * 0", 2024, 5, 6), "2024-05-12 00:00:00")
        self.assertEqual(after("0 0 * * 7", 2024, 5, 6), "2024-05-12 00:00:00")
        self.assertEqual(after("0 0 * * MON-fri", 2024, 5, 4), "2024-05-06 00:00:00")
        self.assertEqual(after("0 0 * * 5-7", 2024, 5, 6), "2024-05-10 00:00:00")

    def test_months(self):
        self.assertEqual(after("0 0 1 jan,JUL *", 2024, 2, 1), "2024-07-01 00:00:00")
        self.assertEqual(after("0 0 1 * *", 2024, 1, 31, 23, 59), "2024-02-01 00:00:00")

    def test_day_or_weekday(self):
        self.assertEqual(after("0 0 13 * fri", 2024, 5, 6), "2024-05-10 00:00:00")
        self.assertEqual(after("0 0 13 * fri", 2024, 5, 10), "2024-05-13 00:00:00")
        self.assertEqual(after("0 0 */2 * *", 2024, 5, 1), "2024-05-03 00:00:00")

    def test_far_away(self):
        self.assertEqual(after("0 0 29 2 *", 2024, 3, 1), "2028-02-29 00:00:00")
        self.assertEqual(after("0 0 29 2 *", 2096, 3, 1), "2104-02-29 00:00:00")

    def test_nonsense(self):
        bad = ["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *",
               "5-1 * * * *", "1,,2 * * * *", "a * * * *", "-1 * * * *", "1- * * * *", "* * * foo *", "0 0 30 2 *", "0 0 31 4,6 *"]
        for spec in bad:
            with self.subTest(spec), self.assertRaises(ValueError):
                after(spec, 2024, 1, 1)

    def test_blanks(self):
        self.assertEqual(after("  0\t9  *  * * ", 2024, 5, 6), "2024-05-06 09:00:00")
