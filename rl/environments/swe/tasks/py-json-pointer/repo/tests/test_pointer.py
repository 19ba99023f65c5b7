import unittest

from jsonpath import get, put


class PointerTest(unittest.TestCase):
    def test_get(self):
        self.assertEqual(get({"a": [1, {"b": 2}]}, "/a/1/b"), 2)

    def test_put(self):
        self.assertEqual(put({"a": 1}, "/b", 2), {"a": 1, "b": 2})
