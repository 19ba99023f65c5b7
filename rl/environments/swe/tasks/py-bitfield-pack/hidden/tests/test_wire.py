import unittest

from wire import WireError, decode, encode


def checked(body):
    checksum = 0
    for byte in body:
        checksum ^= byte
    return body + bytes([checksum])


class WireTest(unittest.TestCase):
    def test_bytes(self):
        self.assertEqual(encode([(1, "a")]), bytes([1, 1, 97, 97]))
        self.assertEqual(encode([(300, "")]), checked(bytes([0xAC, 0x02, 0])))
        self.assertEqual(encode([(0, "ä")]), checked(bytes([0, 2]) + "ä".encode()))
        self.assertEqual(encode([]), b"\0")

    def test_round_trip(self):
        records = [(0, ""), (127, "x" * 127), (128, "ü" * 100), (2**63, "😀"), (16384, "\0")]
        self.assertEqual(decode(encode(records)), records)
        self.assertEqual(decode(b"\0"), [])

    def test_checksum(self):
        good = encode([(5, "hello")])
        for i in range(len(good)):
            with self.subTest(i), self.assertRaises(WireError):
                decode(good[:i] + bytes([good[i] ^ 1]) + good[i + 1 :])

    def test_cut_off(self):
        for body in [bytes([1, 5, 97]), bytes([1]), bytes([0x80]), bytes([1, 0x80]), bytes([1, 0xFF, 0x7F])]:
            with self.subTest(body), self.assertRaises(WireError):
                decode(checked(body))
        with self.assertRaises(WireError):
            decode(b"")

    def test_long_varints(self):
        self.assertEqual(decode(checked(b"\x80" * 9 + b"\x01\0"))[0][0], 2**63)
        with self.assertRaises(WireError):
            decode(checked(b"\x80" * 10 + b"\x01\0"))

    def test_invalid_text(self):
        with self.assertRaises(WireError):
            decode(checked(bytes([1, 1, 0xFF])))

    def test_negative_ids(self):
        with self.assertRaises(ValueError):
            encode([(-1, "a")])
