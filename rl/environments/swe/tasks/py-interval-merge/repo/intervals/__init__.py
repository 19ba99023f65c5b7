from .free import free
from .merge import merge

__all__ = ["free", "merge"]
