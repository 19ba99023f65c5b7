from .codec import decode, encode
from .errors import WireError

__all__ = ["WireError", "decode", "encode"]
