from .errors import CalcError
from .evaluate import calc

__all__ = ["CalcError", "calc"]
