from .roman import parse_roman, to_roman

__all__ = ["parse_roman", "to_roman"]
