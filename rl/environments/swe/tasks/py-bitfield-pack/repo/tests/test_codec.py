import unittest

from wire import decode, encode


class CodecTest(unittest.TestCase):
    def test_small_records(self):
        records = [(1, "a"), (2, "bc")]
        self.assertEqual(decode(encode(records)), records)
