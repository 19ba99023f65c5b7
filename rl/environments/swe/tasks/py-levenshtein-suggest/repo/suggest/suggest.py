from .distance import distance


def suggest(typed, names, limit=3):
    """Names that may have been meant, best first."""
    return sorted(names, key=lambda name: distance(typed, name))[:limit]
