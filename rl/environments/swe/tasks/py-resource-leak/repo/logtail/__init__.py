from .rotator import Rotator

__all__ = ["Rotator"]
