import unittest

from slug import slugify, unique


class SlugTest(unittest.TestCase):
    def test_words(self):
        self.assertEqual(slugify("  Hello,  big World! "), "hello-big-world")

    def test_free_slug(self):
        self.assertEqual(unique("a", {"b"}), "a")
        self.assertEqual(unique("a", {"a"}), "a-2")
