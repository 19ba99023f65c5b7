from .distance import distance
from .suggest import suggest

__all__ = ["distance", "suggest"]
