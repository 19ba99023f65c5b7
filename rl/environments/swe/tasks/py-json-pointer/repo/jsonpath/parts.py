def parts(pointer):
    """The keys of a pointer."""
    return [part for part in pointer.split("/") if part]
