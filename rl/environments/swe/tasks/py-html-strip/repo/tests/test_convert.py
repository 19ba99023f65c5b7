import unittest

from plaintext import to_text


class ConvertTest(unittest.TestCase):
    def test_inline_tags(self):
        self.assertEqual(to_text("<b>Hello</b> <i>you</i>"), "Hello you")
