import unittest

from matrix import identity, multiply, power, transpose, zeros


class ShapesTest(unittest.TestCase):
    def test_rows_are_apart(self):
        m = zeros(2, 3)
        m[0][1] = 5
        self.assertEqual(m, [[0, 5, 0], [0, 0, 0]])
        self.assertEqual(identity(2), [[1, 0], [0, 1]])

    def test_transpose(self):
        self.assertEqual(transpose([[1, 2, 3], [4, 5, 6]]), [[1, 4], [2, 5], [3, 6]])
        self.assertEqual(transpose([[1], [2], [3]]), [[1, 2, 3]])
        self.assertEqual(transpose([]), [])

    def test_oblong_products(self):
        self.assertEqual(multiply([[1, 2, 3]], [[1], [2], [3]]), [[14]])
        self.assertEqual(multiply([[1], [2]], [[3, 4, 5]]), [[3, 4, 5], [6, 8, 10]])

    def test_shapes_must_fit(self):
        for a, b in [([[1, 2]], [[1, 2]]), ([[1]], [[1], [2]]), ([[1, 2]], [])]:
            with self.subTest(a=a, b=b), self.assertRaises(ValueError):
                multiply(a, b)

    def test_power_zero_and_one(self):
        m = [[2, 0], [0, 3]]
        self.assertEqual(power(m, 0), [[1, 0], [0, 1]])
        once = power(m, 1)
        once[0][0] = 9
        self.assertEqual(m, [[2, 0], [0, 3]])

    def test_power_of_what_is_not_square(self):
        for exponent in (0, 1, 2):
            with self.assertRaises(ValueError):
                power([[1, 2]], exponent)
        with self.assertRaises(ValueError):
            power([[1]], -1)

    def test_power_modulo(self):
        p = 1_000_000_007
        self.assertEqual(power([[1, 1], [1, 0]], 10**9, mod=p)[0][1], 21)
        self.assertEqual(power([[5]], 1, mod=3), [[2]])
        self.assertEqual(power([[5]], 0, mod=1), [[0]])
