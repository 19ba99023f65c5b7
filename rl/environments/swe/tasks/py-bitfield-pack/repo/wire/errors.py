class WireError(Exception):
    pass
