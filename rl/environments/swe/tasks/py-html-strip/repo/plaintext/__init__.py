from .convert import to_text

__all__ = ["to_text"]
