import unittest

from memo import memo


class MemoTest(unittest.TestCase):
    def test_second_call_is_remembered(self):
        calls = []

        @memo
        def square(n):
            calls.append(n)
            return n * n

        self.assertEqual([square(3), square(3)], [9, 9])
        self.assertEqual(calls, [3])
        self.assertEqual(square.__name__, "square")
