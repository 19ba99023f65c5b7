import itertools


def counter():
    """1, 2, 3, ..."""
    return itertools.count(1)
