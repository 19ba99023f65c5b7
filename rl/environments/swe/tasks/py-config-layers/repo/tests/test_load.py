import unittest

from layers import load


class LoadTest(unittest.TestCase):
    def test_file_over_defaults(self):
        self.assertEqual(load({"a": 1, "b": 2}, {"a": 3}, {}), {"a": 3, "b": 2})

    def test_environment_over_defaults(self):
        self.assertEqual(load({"a": 1}, {}, {"APP_A": "5", "OTHER": "x"}), {"a": 5})
