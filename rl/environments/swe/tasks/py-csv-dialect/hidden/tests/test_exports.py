import unittest

from tables import load


class ExportsTest(unittest.TestCase):
    def test_mark_is_no_part_of_a_name(self):
        self.assertEqual(load(b"\xef\xbb\xbfa,b\n1,2\n"), [{"a": "1", "b": "2"}])

    def test_utf_16(self):
        for encoding in ("utf-16-le", "utf-16-be"):
            self.assertEqual(load("\ufeffa\tb\nä\t€\n".encode(encoding)), [{"a": "ä", "b": "€"}])

    def test_cp1252(self):
        self.assertEqual(load("preis\n5 €\n".encode("cp1252")), [{"preis": "5 €"}])
        self.assertEqual(load("ä,b\nö,2\n".encode()), [{"ä": "ö", "b": "2"}])

    def test_separators(self):
        self.assertEqual(load(b"a;b\n1,5;2\n"), [{"a": "1,5", "b": "2"}])
        self.assertEqual(load(b"a\tb\n1;2\t3\n"), [{"a": "1;2", "b": "3"}])
        self.assertEqual(load(b'"a,b,c";d\n1;2\n'), [{"a,b,c": "1", "d": "2"}])
        self.assertEqual(load(b"a\n1;2\n"), [{"a": "1;2"}])

    def test_short_rows_are_filled(self):
        self.assertEqual(load(b"a,b,c\n1\n1,2\n"), [{"a": "1", "b": "", "c": ""}, {"a": "1", "b": "2", "c": ""}])

    def test_long_rows_are_named(self):
        with self.assertRaisesRegex(ValueError, r"\b4\b"):
            load(b"a,b\n1,2\n\n1,2,3\n")

    def test_blank_lines(self):
        self.assertEqual(load(b"\na,b\n\n1,2\n\r\n3,4\n\n"), [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}])
        self.assertEqual(load(b""), [])
        self.assertEqual(load(b"a,b\n"), [])

    def test_line_breaks_in_cells(self):
        self.assertEqual(load(b'a,b\r\n"x\r\ny",2\r\n'), [{"a": "x\r\ny", "b": "2"}])

    def test_names_twice(self):
        with self.assertRaises(ValueError):
            load(b"a,b,a\n1,2,3\n")
