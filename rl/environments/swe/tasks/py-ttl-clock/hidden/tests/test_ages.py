import unittest

from ttlcache import TtlCache


class AgesTest(unittest.TestCase):
    def setUp(self):
        self.now = 0
        self.cache = TtlCache(10, lambda: self.now)

    def test_the_end_is_dead(self):
        self.cache["a"] = 1
        self.now = 9.99
        self.assertEqual([self.cache.get("a"), "a" in self.cache, len(self.cache)], [1, True, 1])
        self.now = 10
        self.assertEqual([self.cache.get("a"), "a" in self.cache, len(self.cache), list(self.cache)], [None, False, 0, []])

    def test_a_write_renews(self):
        self.cache["a"] = 1
        self.now = 8
        self.cache["a"] = 2
        self.now = 15
        self.assertEqual(self.cache.get("a"), 2)

    def test_order_of_writes(self):
        for key in "abc":
            self.cache[key] = key
        self.cache["a"] = 1
        self.assertEqual(list(self.cache), ["b", "c", "a"])

    def test_none_is_a_value(self):
        made = []
        for _ in range(2):
            self.assertIsNone(self.cache.get_or_set("a", lambda: made.append(1)))
        self.assertEqual(len(made), 1)
        self.assertIn("a", self.cache)

    def test_age_counts_from_the_end_of_make(self):
        def slow():
            self.now += 8
            return 1

        self.cache.get_or_set("a", slow)
        self.now += 9
        self.assertEqual(self.cache.get("a"), 1)

    def test_purge(self):
        self.cache["a"] = 1
        self.now = 5
        self.cache["b"] = 2
        self.now = 12
        self.assertEqual([self.cache.purge(), self.cache.purge(), list(self.cache)], [1, 0, ["b"]])

    def test_writes_purge_now_and_then(self):
        for i in range(1000):
            self.now = i
            self.cache[i] = i
            self.assertLessEqual(len(self.cache.entries), 21)

    def test_writes_do_not_always_purge(self):
        purges = []
        purge = self.cache.purge
        self.cache.purge = lambda: (purges.append(self.now), purge())[1]
        for i in range(100):
            self.now = i
            self.cache[i] = i
        self.assertTrue(5 <= len(purges) <= 11, purges)

    def test_deletion(self):
        for key in "abc":
            self.cache[key] = key
        for key in self.cache:
            del self.cache[key]
        self.assertEqual(len(self.cache), 0)
        self.cache["x"] = 1
        self.now = 50
        with self.assertRaises(KeyError):
            del self.cache["x"]
