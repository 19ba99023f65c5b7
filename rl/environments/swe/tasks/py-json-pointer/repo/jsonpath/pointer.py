from .parts import parts


def get(document, pointer):
    """The value that a JSON pointer names."""
    value = document
    for part in parts(pointer):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value
