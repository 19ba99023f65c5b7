import unittest

from shellsplit import join, split


class SplitTest(unittest.TestCase):
    def test_quotes(self):
        self.assertEqual(split("a 'b c' \"d e\""), ["a", "b c", "d e"])
        self.assertEqual(join(["a", "b"]), "a b")
