from .cache import TtlCache

__all__ = ["TtlCache"]
