def convert(text, example):
    """A text as a value of the type of `example`."""
    return type(example)(text)
