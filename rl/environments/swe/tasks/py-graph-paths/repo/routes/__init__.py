from .search import cheapest

__all__ = ["cheapest"]
