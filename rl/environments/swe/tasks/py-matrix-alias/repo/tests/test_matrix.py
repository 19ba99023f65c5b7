import unittest

from matrix import multiply, power


class MatrixTest(unittest.TestCase):
    def test_square(self):
        self.assertEqual(multiply([[1, 2], [3, 4]], [[0, 1], [1, 0]]), [[2, 1], [4, 3]])

    def test_small_power(self):
        self.assertEqual(power([[1, 1], [1, 0]], 5), [[8, 5], [5, 3]])
