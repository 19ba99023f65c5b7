def ordered(entries):
    """Functions in the order they run."""
    return [entry["fn"] for entry in entries]
