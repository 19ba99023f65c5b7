import unittest

from numerals import parse_roman, to_roman


class StrictTest(unittest.TestCase):
    def test_subtractive_form(self):
        self.assertEqual(to_roman(1994), "MCMXCIV")
        self.assertEqual(to_roman(444), "CDXLIV")
        self.assertEqual(to_roman(9), "IX")

    def test_round_trip(self):
        for number in range(1, 4000):
            self.assertEqual(parse_roman(to_roman(number)), number)

    def test_nonsense_is_refused(self):
        for text in ["", "IIII", "VX", "IXI", "VV", "IC", "XM", "IIX", "MMMM", "CMM", "XCX", "LL", "IVI", " ", "X V"]:
            with self.subTest(text), self.assertRaises(ValueError):
                parse_roman(text)

    def test_range(self):
        for number in [0, -1, 4000, 10_000]:
            with self.subTest(number), self.assertRaises(ValueError):
                to_roman(number)
        self.assertEqual(to_roman(3999), "MMMCMXCIX")

    def test_lower_case(self):
        self.assertEqual(parse_roman("mcmxciv"), 1994)
