from .naming import numbered


class Rotator:
    """Writes lines to files of at most `limit` bytes. `opener(name)` gives a file for bytes."""

    def __init__(self, prefix, limit, opener=lambda name: open(name, "wb")):
        self.limit = limit
        self.opener = opener
        self.names = numbered(prefix)
        self.file = opener(next(self.names))
        self.size = 0

    def write(self, line):
        if self.size > self.limit:
            self.file = self.opener(next(self.names))
            self.size = 0
        self.file.write((line + "\n").encode())
        self.size += len(line)

    def close(self):
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if error[0] is None:
            self.close()
