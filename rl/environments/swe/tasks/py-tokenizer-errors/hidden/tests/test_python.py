import unittest

from calc import CalcError, calc


class PythonTest(unittest.TestCase):
    def test_as_python_does(self):
        cases = ["2 - 3 - 4", "-2 ** 2", "2 ** -1", "2 ** 3 ** 2", "8 / 4 / 2", "7 % 4 * 2", "- - 3", "2 * -3", "(-2) ** 2",
                 "1 + 2 * 3 - 4 / 2", "-3 % 5", "+4", "2 ** -2 ** 2", "10 - 4 + 1", "2*3%4", "0 * 5", "5 ** 0"]
        for text in cases:
            with self.subTest(text):
                expected = eval(text)
                self.assertEqual(calc(text), expected)
                self.assertIs(type(calc(text)), type(expected))

    def test_numbers(self):
        for text in ["1_000", ".5", "1e-3", "2.", "1E3", "0.25"]:
            with self.subTest(text):
                self.assertEqual(repr(calc(text)), repr(eval(text)))

    def test_division_by_zero(self):
        for text in ["1 / 0", "5 % 0", "1 / (2 - 2)", "0 ** -1"]:
            with self.subTest(text), self.assertRaisesRegex(CalcError, "^division by zero$"):
                calc(text)

    def test_a_zero_that_divides_nothing(self):
        self.assertEqual(calc("5 * 0"), 0)
        self.assertEqual(calc("x + 0", {"x": 0}), 0)

    def test_columns(self):
        cases = {
            "(1+)": 'column 4: unexpected ")"',
            "1 +": "column 4: unexpected end",
            "": "column 1: unexpected end",
            "1 2": 'column 3: unexpected "2"',
            "(1": "column 3: unexpected end",
            "1)": 'column 2: unexpected ")"',
            "2 $ 3": 'column 3: unexpected "$"',
            "* 2": 'column 1: unexpected "*"',
            "1 + y": 'column 5: unknown name "y"',
            "2x": 'column 2: unexpected "x"',
        }
        for text, message in cases.items():
            with self.subTest(text), self.assertRaises(CalcError) as caught:
                calc(text)
            self.assertEqual(str(caught.exception), message)

    def test_names(self):
        self.assertEqual(calc("rate_2 * Ä", {"rate_2": 2, "Ä": 5}), 10)
