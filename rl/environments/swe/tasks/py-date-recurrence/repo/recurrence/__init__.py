from .business import business_days
from .rules import monthly, yearly

__all__ = ["business_days", "monthly", "yearly"]
