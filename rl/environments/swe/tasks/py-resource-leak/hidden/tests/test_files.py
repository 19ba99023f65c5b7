import io
import unittest

from logtail import Rotator


class Kept(io.BytesIO):
    """Keeps its text after it was closed."""

    text = b""
    fails = False

    def write(self, data):
        if self.fails:
            raise OSError("disk full")
        return super().write(data)

    def close(self):
        if not self.closed:
            self.text = self.getvalue()
        super().close()


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.files = []
        self.most = 0

    def opener(self, name):
        self.files.append(Kept())
        self.most = max(self.most, sum(not file.closed for file in self.files))
        return self.files[-1]

    def texts(self):
        return [file.text for file in self.files]

    def test_one_file_is_open(self):
        with Rotator("log", 4, self.opener) as rotator:
            for line in ["aa", "bb", "cc", "dd"]:
                rotator.write(line)
        self.assertEqual(self.most, 1)
        self.assertTrue(all(file.closed for file in self.files))
        self.assertEqual(self.texts(), [b"aa\n", b"bb\n", b"cc\n", b"dd\n"])

    def test_exact_fit(self):
        with Rotator("log", 6, self.opener) as rotator:
            for line in ["aa", "bb", "c"]:
                rotator.write(line)
        self.assertEqual(self.texts(), [b"aa\nbb\n", b"c\n"])

    def test_bytes_are_counted(self):
        with Rotator("log", 6, self.opener) as rotator:
            rotator.write("€")
            rotator.write("ä")
        self.assertEqual(self.texts(), ["€\n".encode(), "ä\n".encode()])

    def test_a_long_line_has_its_own_file(self):
        with Rotator("log", 3, self.opener) as rotator:
            for line in ["abcdef", "a", "abcdef"]:
                rotator.write(line)
        self.assertEqual(self.texts(), [b"abcdef\n", b"a\n", b"abcdef\n"])

    def test_close_twice_and_write_after(self):
        rotator = Rotator("log", 3, self.opener)
        rotator.write("aa")
        rotator.close()
        rotator.close()
        with self.assertRaises(ValueError):
            rotator.write("a")
        self.assertEqual(len(self.files), 1)

    def test_body_that_raises(self):
        with self.assertRaises(KeyError), Rotator("log", 10, self.opener) as rotator:
            rotator.write("a")
            raise KeyError("x")
        self.assertTrue(self.files[0].closed)

    def test_failed_write_can_be_repeated(self):
        rotator = Rotator("log", 10, self.opener)
        rotator.write("a")
        self.files[0].fails = True
        with self.assertRaises(OSError):
            rotator.write("bb")
        self.files[0].fails = False
        rotator.write("bb")
        rotator.write("cccc")
        rotator.close()
        self.assertEqual(self.texts(), [b"a\nbb\ncccc\n"])

    def test_an_opener_that_fails_leaves_nothing_open(self):
        rotator = Rotator("log", 3, self.opener)
        rotator.write("aa")

        def fails(name):
            raise OSError("no more files")

        rotator.opener = fails
        with self.assertRaises(OSError):
            rotator.write("bb")
        self.assertTrue(self.files[0].closed)
        rotator.opener = self.opener
        rotator.write("bb")
        rotator.close()
        self.assertEqual(self.texts(), [b"aa\n", b"bb\n"])
