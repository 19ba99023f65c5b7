import copy
import unittest

from layers import load

DEFAULTS = {"db": {"host": "localhost", "port": 5432}, "debug": False, "ratio": 0.5, "tags": ["a"], "none": None}


class LayersTest(unittest.TestCase):
    def test_environment_wins(self):
        self.assertEqual(load({"a": 1}, {"a": 2}, {"APP_A": "3"}), {"a": 3})

    def test_levels_are_merged(self):
        settings = load(DEFAULTS, {"db": {"host": "db1"}}, {"APP_DB__PORT": "5433"})
        self.assertEqual(settings["db"], {"host": "db1", "port": 5433})

    def test_arguments_stay(self):
        before = copy.deepcopy(DEFAULTS)
        values = {"db": {"host": "x"}, "tags": ["b"]}
        settings = load(DEFAULTS, values, {"APP_DB__PORT": "1"})
        settings["tags"].append("c")
        settings["db"]["host"] = "y"
        self.assertEqual(DEFAULTS, before)
        self.assertEqual(values, {"db": {"host": "x"}, "tags": ["b"]})

    def test_bools(self):
        for text in ("1", "true", "YES", "On"):
            self.assertIs(load(DEFAULTS, {}, {"APP_DEBUG": text})["debug"], True)
        for text in ("0", "False", "no", "OFF"):
            self.assertIs(load({"debug": True}, {}, {"APP_DEBUG": text})["debug"], False)

    def test_other_types(self):
        env = {"APP_RATIO": "0.25", "APP_TAGS": "x, y,z", "APP_NONE": "text", "APP_NEW__KEY": "7"}
        settings = load(DEFAULTS, {}, env)
        self.assertEqual([settings[key] for key in ("ratio", "tags", "none", "new")], [0.25, ["x", "y", "z"], "text", {"key": "7"}])
        self.assertEqual(load(DEFAULTS, {}, {"APP_TAGS": ""})["tags"], [])

    def test_type_of_what_is_overridden(self):
        self.assertEqual(load({"a": 1}, {"a": "text"}, {"APP_A": "5"}), {"a": "5"})

    def test_what_does_not_fit(self):
        for name, text in {"APP_DB__PORT": "abc", "APP_DEBUG": "maybe", "APP_DB": "x", "APP_RATIO__X": "1"}.items():
            with self.subTest(name), self.assertRaisesRegex(ValueError, name):
                load(DEFAULTS, {}, {name: text})

    def test_unknown_keys_of_the_file(self):
        for values, path in (({"db": {"hots": 1}}, "db.hots"), ({"x": {"y": 1}}, "x")):
            with self.assertRaises(KeyError) as caught:
                load(DEFAULTS, values, {})
            self.assertEqual(caught.exception.args, (path,))
