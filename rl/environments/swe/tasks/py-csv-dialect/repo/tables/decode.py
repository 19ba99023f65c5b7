def decode(data):
    """The text of a file."""
    return data.decode("utf-8")
