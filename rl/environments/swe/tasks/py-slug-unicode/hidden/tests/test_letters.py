import unicodedata
import unittest

from slug import slugify, unique


class LettersTest(unittest.TestCase):
    def test_marks(self):
        self.assertEqual(slugify("Straße nach Köln"), "strasse-nach-koln")
        self.assertEqual(slugify("Ærø Łódź Đà Nẵng"), "aero-lodz-da-nang")

    def test_decomposed(self):
        title = "Köln Nẵng Łódź й"
        self.assertEqual(slugify(unicodedata.normalize("NFD", title)), slugify(title))

    def test_other_scripts(self):
        self.assertEqual(slugify("Привет, мир"), "привет-мир")
        self.assertEqual(slugify("日本 語"), "日本-語")

    def test_upper_case_sharp_s(self):
        self.assertEqual(slugify("STRAẞE İstanbul"), "strasse-istanbul")

    def test_apostrophes_and_other_signs(self):
        self.assertEqual(slugify("Rock 'n' Roll isn’t dead"), "rock-n-roll-isnt-dead")
        self.assertEqual(slugify("C/C++ & more_or_less: a.b"), "c-c-more-or-less-a-b")

    def test_cut_at_a_dash(self):
        self.assertEqual(slugify("alpha beta gamma", max_length=12), "alpha-beta")
        self.assertEqual(slugify("alpha beta gamma", max_length=10), "alpha-beta")
        self.assertEqual(slugify("alpha beta gamma", max_length=11), "alpha-beta")
        self.assertEqual(slugify("incomprehensible", max_length=6), "incomp")

    def test_numbers_count_up(self):
        self.assertEqual(unique("a", {"a", "a-2", "a-3"}), "a-4")

    def test_numbers_stay_within(self):
        self.assertEqual(unique("abcdef", {"abcdef"}, max_length=6), "abcd-2")
        self.assertEqual(unique("abc-ef", {"abc-ef"}, max_length=6), "abc-2")
        taken = {"abcdef"} | {f"abcd-{n}" for n in range(2, 10)}
        self.assertEqual(unique("abcdef", taken, max_length=6), "abc-10")
