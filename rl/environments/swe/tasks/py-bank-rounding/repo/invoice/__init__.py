from .total import total

__all__ = ["total"]
