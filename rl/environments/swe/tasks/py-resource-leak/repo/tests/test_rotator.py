import io
import unittest

from logtail import Rotator


class RotatorTest(unittest.TestCase):
    def test_lines_go_to_the_first_file(self):
        files = {}

        def opener(name):
            files[name] = io.BytesIO()
            return files[name]

        rotator = Rotator("log", 100, opener)
        rotator.write("a")
        rotator.write("b")
        self.assertEqual(files["log.1"].getvalue(), b"a\nb\n")
