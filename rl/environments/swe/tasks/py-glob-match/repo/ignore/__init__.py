from .rules import Rules

__all__ = ["Rules"]
