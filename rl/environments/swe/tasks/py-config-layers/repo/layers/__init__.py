from .load import load

__all__ = ["load"]
