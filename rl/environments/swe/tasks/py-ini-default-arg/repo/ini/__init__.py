from .parse import parse
from .render import render

__all__ = ["parse", "render"]
