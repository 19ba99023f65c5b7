from .render import render_all

__all__ = ["render_all"]
