from .wrap import wrap
from .justify import justify

__all__ = ["wrap", "justify"]
