from .join import join
from .split import split

__all__ = ["join", "split"]
