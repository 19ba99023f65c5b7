import unittest

from intervals import free, merge


class EdgesTest(unittest.TestCase):
    def test_touching_is_one(self):
        self.assertEqual(merge([(3, 5), (1, 3)]), [(1, 5)])

    def test_inner_is_swallowed(self):
        self.assertEqual(merge([(1, 10), (2, 3), (9, 12)]), [(1, 12)])

    def test_empty_ones_are_left_out(self):
        self.assertEqual(merge([(2, 2), (5, 5), (1, 3)]), [(1, 3)])
        self.assertEqual(merge([(4, 4)]), [])

    def test_argument_is_not_changed(self):
        given = [(5, 6), (1, 2)]
        merge(given)
        free(given, (0, 9))
        self.assertEqual(given, [(5, 6), (1, 2)])

    def test_any_iterable(self):
        self.assertEqual(merge(iter([(1, 2)])), [(1, 2)])

    def test_free_before_and_after(self):
        self.assertEqual(free([(9, 12), (14, 17)], (0, 24)), [(0, 9), (12, 14), (17, 24)])
        self.assertEqual(free([], (0, 24)), [(0, 24)])
        self.assertEqual(free([(0, 24)], (0, 24)), [])

    def test_free_stays_within_the_day(self):
        self.assertEqual(free([(-5, 3), (20, 30)], (0, 24)), [(3, 20)])
        self.assertEqual(free([(-9, -5), (30, 40)], (0, 24)), [(0, 24)])
        self.assertEqual(free([(-9, 40)], (0, 24)), [])
