import unittest

from suggest import distance, suggest


class SuggestTest(unittest.TestCase):
    def test_replaced_letters(self):
        self.assertEqual(distance("abc", "axc"), 1)
        self.assertEqual(suggest("pusg", ["pull", "push"], 1), ["push"])
