def distance(a, b):
    """How many edits make `b` of `a`."""
    return sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))
