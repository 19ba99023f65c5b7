import unittest

from mailmerge import render_all


class LettersTest(unittest.TestCase):
    def test_rows_are_apart(self):
        rows = [{"name": "Ann", "city": "Rome"}, {"name": "Bob"}]
        defaults = {"city": "your city"}
        self.assertEqual(render_all("{name}: {city}", rows, defaults), ["Ann: Rome", "Bob: your city"])
        self.assertEqual(defaults, {"city": "your city"})
        self.assertEqual(rows[1], {"name": "Bob"})

    def test_calls_are_apart(self):
        render_all("{a}", [{"a": 1}])
        with self.assertRaises(KeyError):
            render_all("{a}", [{}])

    def test_filters_in_a_row(self):
        self.assertEqual(render_all("[{a|strip|upper}]", [{"a": " x "}]), ["[X]"])
        self.assertEqual(render_all("{a|upper|title}", [{"a": "ab"}]), ["Ab"])

    def test_unknown_names(self):
        for template, name in {"{a|shout}": "shout", "{b}": "b", "{ a}": " a"}.items():
            with self.subTest(template), self.assertRaises(KeyError) as caught:
                render_all(template, [{"a": 1}])
            self.assertEqual(caught.exception.args, (name,))

    def test_braces(self):
        self.assertEqual(render_all("{{a}} {{{a}}} }}{{", [{"a": 1}]), ["{a} {1} }{"])

    def test_values_are_left_alone(self):
        self.assertEqual(render_all("{a} {b}", [{"a": "{b}", "b": "{{x}}"}]), ["{b} {{x}}"])

    def test_none_is_empty(self):
        self.assertEqual(render_all("[{a}{a|upper}]", [{"a": None}], {"a": "default"}), ["[]"])

    def test_a_single_brace_is_an_error(self):
        for template in ("{a", "a}", "{"):
            with self.subTest(template), self.assertRaises(ValueError):
                render_all(template, [{"a": 1}])
