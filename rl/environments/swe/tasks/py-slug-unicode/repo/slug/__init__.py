from .slug import slugify
from .unique import unique

__all__ = ["slugify", "unique"]
