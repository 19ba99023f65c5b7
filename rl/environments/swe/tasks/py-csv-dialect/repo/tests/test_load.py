import unittest

from tables import load


class LoadTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(load(b'a,b\n1,"x,y"\n'), [{"a": "1", "b": "x,y"}])
