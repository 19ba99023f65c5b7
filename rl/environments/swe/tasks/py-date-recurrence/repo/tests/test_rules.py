import unittest
from datetime import date

from recurrence import monthly, yearly


class RulesTest(unittest.TestCase):
    def test_plain_days(self):
        self.assertEqual(list(monthly(date(2024, 1, 5), 2)), [date(2024, 1, 5), date(2024, 2, 5)])
        self.assertEqual(list(yearly(date(2023, 5, 1), 2)), [date(2023, 5, 1), date(2024, 5, 1)])
