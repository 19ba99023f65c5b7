import unittest
from decimal import Decimal

from invoice import total


def line(quantity, price, rate=0, discount=0):
    return {"quantity": quantity, "price": price, "rate": rate, "discount": discount}


class ExactTest(unittest.TestCase):
    def check(self, lines, net, tax, gross):
        result = total(lines)
        self.assertEqual({key: str(value) for key, value in result.items()}, {"net": net, "tax": tax, "gross": gross})
        self.assertTrue(all(isinstance(value, Decimal) for value in result.values()))

    def test_floats_are_what_they_look_like(self):
        self.check([line(3, 0.1)], "0.30", "0.00", "0.30")
        self.check([line(1, 1.005)], "1.01", "0.00", "1.01")
        self.check([line("1", "2.675"), line(1, Decimal("2.665"))], "5.35", "0.00", "5.35")

    def test_half_up(self):
        self.check([line(1, "0.125")], "0.13", "0.00", "0.13")
        self.check([line(-1, "0.125")], "-0.13", "0.00", "-0.13")

    def test_tax_of_the_sum(self):
        self.check([line(1, "0.03", 19)] * 10, "0.30", "0.06", "0.36")
        self.check([line(1, "0.33", 7), line(1, "0.33", "7.0"), line(1, "1", 19)], "1.66", "0.24", "1.90")

    def test_discount_before_rounding(self):
        self.check([line(3, "0.333", 0, 10)], "0.90", "0.00", "0.90")
        self.check([line(1, "0.99", 0, "12.5")], "0.87", "0.00", "0.87")

    def test_nothing(self):
        self.check([], "0.00", "0.00", "0.00")
        self.check([{"quantity": 1, "price": "5", "rate": 0}], "5.00", "0.00", "5.00")

    def test_large(self):
        self.check([line("123456789012345678901", "0.01", 10)], "1234567890123456789.01", "123456789012345678.90", "1358024679135802467.91")

    def test_no_numbers(self):
        for bad in ["abc", "nan", float("inf"), None, "", True]:
            with self.subTest(bad), self.assertRaises(ValueError):
                total([line(1, bad)])
