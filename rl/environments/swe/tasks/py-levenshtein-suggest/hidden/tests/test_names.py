import unicodedata
import unittest

from suggest import distance, suggest

COMMANDS = ["commit", "checkout", "config", "clone", "branch", "Push", "pull"]


class NamesTest(unittest.TestCase):
    def test_distance(self):
        cases = [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("commti", "commit", 1), ("abcd", "bcd", 1),
                 ("ab", "ba", 1), ("abcdef", "bcdefa", 2), ("ca", "abc", 3), ("xabcx", "xcbax", 2)]
        for a, b, wanted in cases:
            with self.subTest(a + "/" + b):
                self.assertEqual([distance(a, b), distance(b, a)], [wanted, wanted])

    def test_close_ones_best_first(self):
        self.assertEqual(suggest("comit", COMMANDS), ["commit"])
        self.assertEqual(suggest("pul", COMMANDS), ["pull"])
        self.assertEqual(suggest("pusl", ["pull", "push"]), ["pull", "push"])
        self.assertEqual(suggest("pxsh", ["posh", "pash", "pxsk"], limit=2), ["posh", "pash"])

    def test_nothing_close(self):
        self.assertEqual(suggest("zzzz", COMMANDS), [])
        self.assertEqual(suggest("", COMMANDS), [])

    def test_a_third_rounded_up(self):
        self.assertEqual(suggest("abcd", ["abxy"]), ["abxy"])
        self.assertEqual(suggest("abc", ["axy"]), [])
        self.assertEqual(suggest("a", ["b", "xy"]), ["b"])

    def test_case_and_accents(self):
        self.assertEqual(suggest("PUSH", COMMANDS), ["Push"])
        self.assertEqual(suggest("CLONR", COMMANDS), ["clone"])
        cafe = unicodedata.normalize("NFD", "Café")
        self.assertEqual(suggest(unicodedata.normalize("NFC", "cafés"), [cafe]), [cafe])
        self.assertEqual(suggest("CAFÉ", [cafe, "cafe"]), [cafe])

    def test_exact(self):
        self.assertEqual(suggest("pull", ["pulls", "pull", "pulp"]), ["pull"])

    def test_beginnings_come_last(self):
        self.assertEqual(suggest("che", COMMANDS), ["checkout"])
        self.assertEqual(suggest("con", ["configuration", "cone", "continue", "coin"]), ["cone", "coin", "configuration"])
        self.assertEqual(suggest("con", ["configuration", "cone", "continue", "coin"], limit=9), ["cone", "coin", "configuration", "continue"])

    def test_no_duplicates(self):
        self.assertEqual(suggest("pul", ["pull", "pull", "pulled"]), ["pull", "pulled"])
