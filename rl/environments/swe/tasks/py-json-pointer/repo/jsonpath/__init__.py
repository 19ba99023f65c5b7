from .pointer import get
from .update import put

__all__ = ["get", "put"]
