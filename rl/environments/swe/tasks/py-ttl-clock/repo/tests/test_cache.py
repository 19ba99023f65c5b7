import unittest

from ttlcache import TtlCache


class CacheTest(unittest.TestCase):
    def test_young_entries(self):
        cache = TtlCache(10, lambda: 0)
        cache["a"] = 1
        self.assertEqual([cache.get("a"), cache.get("b", 5)], [1, 5])
