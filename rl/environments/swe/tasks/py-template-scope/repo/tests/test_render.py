import unittest

from mailmerge import render_all


class RenderTest(unittest.TestCase):
    def test_fields(self):
        letters = render_all("Dear {name|title}, {n}", [{"name": "ann", "n": 1}, {"name": "bob", "n": 2}], {})
        self.assertEqual(letters, ["Dear Ann, 1", "Dear Bob, 2"])
