def merge(intervals):
    """Half open intervals, sorted, none touching another; empty ones are left out."""
    intervals.sort()
    out = []
    for start, end in intervals:
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out
