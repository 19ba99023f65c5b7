import unittest

from ignore import Rules


class RulesTest(unittest.TestCase):
    def test_names(self):
        rules = Rules("*.log\n")
        self.assertTrue(rules.ignored("a.log"))
        self.assertTrue(rules.ignored("x/y.log"))
        self.assertFalse(rules.ignored("a.txt"))
