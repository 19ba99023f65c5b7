from .limited import gather_limited

__all__ = ["gather_limited"]
