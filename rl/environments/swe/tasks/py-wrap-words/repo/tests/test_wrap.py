import unittest

from textflow import justify, wrap


class WrapTest(unittest.TestCase):
    def test_short_text_is_one_line(self):
        self.assertEqual(wrap("a bc", 10), ["a bc"])

    def test_width_must_be_positive(self):
        with self.assertRaises(ValueError):
            wrap("a", 0)

    def test_justified_lines_are_as_wide(self):
        self.assertEqual(justify("aa bb cc", 6), ["aa  bb", "cc"])
