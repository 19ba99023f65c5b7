import unittest

from ini import parse, render


class IniMoreTest(unittest.TestCase):
    def test_files_are_apart(self):
        parse("[a]\nx = 1\n")
        self.assertEqual(parse("[b]\ny = 2\n"), {"b": {"y": "2"}})

    def test_base_is_extended_and_stays(self):
        base = {"a": {"x": "1"}}
        self.assertEqual(parse("[a]\ny = 2\n", base), {"a": {"x": "1", "y": "2"}})
        self.assertEqual(base, {"a": {"x": "1"}})

    def test_equals_and_hashes_in_values(self):
        self.assertEqual(parse("[a]\nurl = http://x/?a=b\ncolour = #fff\n"), {"a": {"url": "http://x/?a=b", "colour": "#fff"}})

    def test_comments(self):
        self.assertEqual(parse("# one\n  ; two = 2\n[a]\n#x = 1\n"), {"a": {}})

    def test_keys_before_a_section(self):
        self.assertEqual(parse("x = 1\n[a]\n"), {"": {"x": "1"}, "a": {}})

    def test_a_section_goes_on(self):
        self.assertEqual(parse("[a]\nx = 1\n[b]\n[a]\ny = 2\n"), {"a": {"x": "1", "y": "2"}, "b": {}})

    def test_empty_values_and_windows_lines(self):
        self.assertEqual(parse("[a]\r\nx =\r\n"), {"a": {"x": ""}})

    def test_nonsense_is_named(self):
        for text in ["[a]\nx = 1\nwhat\n", "[a]\n\n= 1\n", "\n\n[a\n"]:
            with self.subTest(text), self.assertRaisesRegex(ValueError, "^line 3: "):
                parse(text)

    def test_round_trip(self):
        sections = {"": {"top": "1"}, "a b": {"x": "y=z", "e": ""}}
        self.assertEqual(parse(render(sections)), sections)
