import unittest

from routes import cheapest


class SearchTest(unittest.TestCase):
    def test_a_line(self):
        self.assertEqual(cheapest({"a": {"b": 1}, "b": {"c": 2}, "c": {}}, "a", "c"), (3, ["a", "b", "c"]))
