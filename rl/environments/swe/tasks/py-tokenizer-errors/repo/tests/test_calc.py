import unittest

from calc import calc


class CalcTest(unittest.TestCase):
    def test_simple(self):
        self.assertEqual(calc("2 * (3 + 4)"), 14)
        self.assertEqual(calc("x + 1", {"x": 2}), 3)
