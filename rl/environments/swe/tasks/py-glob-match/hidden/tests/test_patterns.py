import unittest

from ignore import Rules


class PatternsTest(unittest.TestCase):
    def check(self, text, ignored=(), kept=()):
        rules = Rules(text)
        for path in ignored:
            self.assertIs(rules.ignored(path), True, path)
        for path in kept:
            self.assertIs(rules.ignored(path), False, path)

    def test_whole_names(self):
        self.check("*.log", ["a.log", ".log"], ["a.log.txt", "a.logs", "b/alog"])
        self.check("a.b", ["a.b"], ["axb"])

    def test_slashes(self):
        self.check("src/*.js", ["src/a.js"], ["src/a/b.js", "lib/src/a.js"])
        self.check("/top", ["top", "top/x"], ["a/top"])
        self.check("doc?x", ["docax"], ["doc/x", "docx"])

    def test_two_stars(self):
        self.check("**/tmp", ["tmp", "a/tmp", "a/b/tmp", "a/tmp/x"], ["atmp"])
        self.check("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["az", "b/a/z", "a/bz"])
        self.check("a/**", ["a/b", "a/b/c"], ["a/", "b/a/c"])

    def test_folders(self):
        self.check("build/", ["build/", "build/a", "x/build/a/b"], ["build", "x/build"])
        self.check("out", ["out", "out/", "out/a", "b/out/a"], ["outer"])

    def test_bringing_back(self):
        self.check("*.log\n!keep.log", ["a.log"], ["keep.log", "x/keep.log"])
        self.check("!keep.log\n*.log", ["keep.log"])
        self.check("logs/\n!logs/keep.log", ["logs/keep.log"])
        self.check("logs/*\n!logs/keep.log", ["logs/a.log"], ["logs/keep.log", "logs/"])

    def test_classes(self):
        self.check("[ab].x", ["a.x"], ["c.x", "[ab].x"])
        self.check("[!a-c]1", ["d1"], ["b1", "/1", "x/1"])
        self.check("[.]x", [".x"], ["ax"])

    def test_nothing_and_escapes(self):
        self.check("# a\n\n   \n", [], ["a", "# a", ""])
        self.check("\\#x\n\\!y", ["#x", "!y"], ["x", "y"])
        self.check("a+b(c)", ["a+b(c)"], ["aab(c)"])
        self.check("a \n", ["a"], ["a "])
