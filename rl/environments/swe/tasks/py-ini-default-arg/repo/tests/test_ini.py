import unittest

from ini import parse


class IniTest(unittest.TestCase):
    def test_sections(self):
        self.assertEqual(parse("[first]\na = 1\n\n[second]\nb=2\n", {}), {"first": {"a": "1"}, "second": {"b": "2"}})
