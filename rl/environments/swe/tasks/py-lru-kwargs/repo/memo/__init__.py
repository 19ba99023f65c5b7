from .memo import memo

__all__ = ["memo"]
