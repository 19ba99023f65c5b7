import unittest

from invoice import total


class TotalTest(unittest.TestCase):
    def test_whole_amounts(self):
        result = total([{"quantity": 2, "price": 50, "rate": 10}])
        self.assertEqual([int(result[key]) for key in ("net", "tax", "gross")], [100, 10, 110])
