from .merge import merge


def free(busy, day):
    """The gaps that `busy` leaves within `day`."""
    gaps = []
    merged = merge(busy)
    for left, right in zip(merged, merged[1:]):
        gaps.append((left[1], right[0]))
    return gaps
