import unittest

from numerals import parse_roman, to_roman


class RomanTest(unittest.TestCase):
    def test_additive(self):
        self.assertEqual(to_roman(1666), "MDCLXVI")
        self.assertEqual(parse_roman("MDCLXVI"), 1666)

    def test_other_letters(self):
        with self.assertRaises(ValueError):
            parse_roman("ABC")
