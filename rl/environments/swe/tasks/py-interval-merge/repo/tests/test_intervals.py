import unittest

from intervals import free, merge


class IntervalsTest(unittest.TestCase):
    def test_overlap(self):
        self.assertEqual(merge([(1, 4), (2, 6), (8, 9)]), [(1, 6), (8, 9)])

    def test_gap_between(self):
        self.assertEqual(free([(0, 4), (6, 24)], (0, 24)), [(4, 6)])
