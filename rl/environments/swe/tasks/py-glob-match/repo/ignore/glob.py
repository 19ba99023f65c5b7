import re


def to_regex(pattern):
    """A regular expression for a pattern."""
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."))
