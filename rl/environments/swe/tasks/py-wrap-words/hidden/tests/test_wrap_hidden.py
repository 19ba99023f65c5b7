import unittest

from textflow import justify, wrap


class WrapHiddenTest(unittest.TestCase):
    def test_no_trailing_blank(self):
        self.assertEqual(wrap("the quick brown fox", 9), ["the quick", "brown fox"])

    def test_exact_fit(self):
        self.assertEqual(wrap("aaa bbb ccc", 7), ["aaa bbb", "ccc"])
        self.assertEqual(wrap("aaaa bb", 4), ["aaaa", "bb"])

    def test_long_words_are_cut(self):
        self.assertEqual(wrap("see incomprehensibilities", 8), ["see", "incompre", "hensibil", "ities"])
        self.assertEqual(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"])
        self.assertEqual(wrap("abcdefgh i", 4), ["abcd", "efgh", "i"])

    def test_the_rest_of_a_cut_word_shares_its_line(self):
        self.assertEqual(wrap("abcdefg hi", 5), ["abcde", "fg hi"])

    def test_paragraphs_stay_apart(self):
        self.assertEqual(wrap("a b\n\nc d", 10), ["a b", "", "c d"])
        self.assertEqual(wrap("a\nb\n\n\n\nc", 10), ["a b", "", "c"])
        self.assertEqual(wrap("", 10), [])

    def test_justify_leaves_cut_words(self):
        self.assertEqual(justify("abcdef g", 3), ["abc", "def", "g"])
