import unittest
from datetime import date

from recurrence import business_days, monthly, yearly


class EndsTest(unittest.TestCase):
    def test_the_31st(self):
        days = [day.isoformat() for day in monthly(date(2024, 1, 31), 4)]
        self.assertEqual(days, ["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30"])

    def test_the_30th_is_not_the_last(self):
        days = [day.isoformat() for day in monthly(date(2023, 1, 30), 3)]
        self.assertEqual(days, ["2023-01-30", "2023-02-28", "2023-03-30"])

    def test_over_several_years(self):
        days = [day.isoformat() for day in monthly(date(2023, 11, 30), 4, every=3)]
        self.assertEqual(days, ["2023-11-30", "2024-02-29", "2024-05-30", "2024-08-30"])
        self.assertEqual(list(monthly(date(2024, 12, 1), 2, every=25))[1], date(2027, 1, 1))
        self.assertEqual(list(monthly(date(2024, 12, 1), 2, every=12))[1], date(2025, 12, 1))

    def test_leap_days(self):
        days = [day.isoformat() for day in yearly(date(2024, 2, 29), 5)]
        self.assertEqual(days, ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"])

    def test_both_ends(self):
        self.assertEqual(business_days(date(2024, 5, 3), date(2024, 5, 6)), [date(2024, 5, 3), date(2024, 5, 6)])
        self.assertEqual(business_days(date(2024, 5, 3), date(2024, 5, 3)), [date(2024, 5, 3)])
        self.assertEqual(business_days(date(2024, 5, 3), date(2024, 5, 2)), [])

    def test_holidays(self):
        days = business_days(date(2024, 4, 30), date(2024, 5, 3), holidays={date(2024, 5, 1)})
        self.assertEqual([day.day for day in days], [30, 2, 3])
