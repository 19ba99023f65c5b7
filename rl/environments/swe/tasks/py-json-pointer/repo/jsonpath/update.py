from .parts import parts
from .pointer import get


def put(document, pointer, value):
    """A copy of the document with another value at a pointer."""
    *path, last = parts(pointer)
    copy = dict(document)
    target = get(copy, "/" + "/".join(path))
    target[int(last) if isinstance(target, list) else last] = value
    return copy
