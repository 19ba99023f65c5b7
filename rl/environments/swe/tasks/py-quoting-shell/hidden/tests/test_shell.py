import unittest

from shellsplit import join, split


class ShellTest(unittest.TestCase):
    def test_escapes(self):
        self.assertEqual(split(r"a\ b \"c \\"), ["a b", '"c', "\\"])
        self.assertEqual(split(r'"a\"b\\c\n\$d"'), ['a"b\\c\\n$d'])
        self.assertEqual(split(r"'a\b'"), [r"a\b"])

    def test_pieces(self):
        self.assertEqual(split("a\"b c\"d'e f'"), ["ab cde f"])
        self.assertEqual(split("\"\" '' a\"\""), ["", "", "a"])

    def test_blanks(self):
        self.assertEqual(split("  a\t\tb\n c  "), ["a", "b", "c"])
        self.assertEqual(split(""), [])

    def test_variables(self):
        env = {"A": "x y", "AB": "z", "Q": "'\"$A"}
        self.assertEqual(split("$A ${A}B \"$AB\" '$A' $NO.", env), ["x y", "x yB", "z", "$A", "."])
        self.assertEqual(split("$Q $ $1 a$", env), ["'\"$A", "$", "$1", "a$"])
        self.assertEqual(split('$NO "$NO" x', env), ["", "x"])

    def test_comments(self):
        self.assertEqual(split("a #b c\nd"), ["a", "d"])
        self.assertEqual(split("a#b \"#c\" \\#d"), ["a#b", "#c", "#d"])

    def test_open_ends(self):
        for line in ["'a", '"a', "a\\", '"a\\', "${A"]:
            with self.subTest(line), self.assertRaises(ValueError):
                split(line)

    def test_join_quotes_what_needs_it(self):
        self.assertEqual(join(["a-b_c/d.e:f=g,h@i%j+k", "x y", "", "it's", "$A", "#c", "a*"]), "a-b_c/d.e:f=g,h@i%j+k 'x y' '' 'it'\"'\"'s' '$A' '#c' 'a*'")

    def test_round_trip(self):
        words = ["", "a b", "'", '"', "\\", "$A", "${A}", "#x", "ä ö", "\n", "a'b\"c", "\\'"]
        self.assertEqual(split(join(words), {"A": "no"}), words)
