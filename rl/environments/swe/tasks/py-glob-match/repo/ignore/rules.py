from .glob import to_regex


class Rules:
    """What a .buildignore file says."""

    def __init__(self, text):
        self.patterns = [to_regex(line) for line in text.split("\n") if line]

    def ignored(self, path):
        """Whether a path, of a folder with a slash at its end, is left out."""
        return any(pattern.search(path) for pattern in self.patterns)
