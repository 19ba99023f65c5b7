import copy
import unittest

from jsonpath import get, put

DOC = {"a/b": 1, "m~n": 2, "": {"": 3}, "list": [10, {"x": 1}], "01": "key", "~1": 4}


class RfcTest(unittest.TestCase):
    def test_escapes(self):
        self.assertEqual([get(DOC, p) for p in ("/a~1b", "/m~0n", "/~01")], [1, 2, 4])

    def test_empty_parts(self):
        self.assertEqual(get(DOC, ""), DOC)
        self.assertEqual(get(DOC, "/"), {"": 3})
        self.assertEqual(get(DOC, "//"), 3)

    def test_indexes(self):
        self.assertEqual(get(DOC, "/01"), "key")
        for part in ("01", "+1", "-1", "1.0", "", "-", "2", "x", "١", "1 "):
            with self.subTest(part), self.assertRaises(LookupError):
                get(DOC, f"/list/{part}")

    def test_message_is_the_part_that_failed(self):
        for pointer, failed in {"/list/1/y/z": "/list/1/y", "/a~1c/d": "/a~1c", "/list/0/x": "/list/0/x"}.items():
            with self.assertRaises(LookupError) as caught:
                get(DOC, pointer)
            self.assertEqual(caught.exception.args[0], failed)

    def test_must_begin_with_a_slash(self):
        with self.assertRaises(ValueError):
            get(DOC, "list")

    def test_put_leaves_the_original(self):
        before = copy.deepcopy(DOC)
        self.assertEqual(put(DOC, "/list/1/x", 9)["list"], [10, {"x": 9}])
        self.assertEqual(put(DOC, "/list/0", 9)["list"], [9, {"x": 1}])
        put(DOC, "//new", 1)
        self.assertEqual(DOC, before)

    def test_put_appends(self):
        self.assertEqual(put(DOC, "/list/-", 7)["list"], [10, {"x": 1}, 7])
        self.assertEqual(put([], "/-", 7), [7])

    def test_put_where_nothing_is(self):
        for pointer in ("/list/2", "/no/x", "/list/0/x", "/list/-/x"):
            with self.subTest(pointer), self.assertRaises(LookupError):
                put(DOC, pointer, 1)

    def test_put_the_whole(self):
        self.assertEqual(put(DOC, "", 5), 5)
