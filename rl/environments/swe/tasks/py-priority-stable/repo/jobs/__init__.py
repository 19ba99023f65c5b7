from .queue import JobQueue

__all__ = ["JobQueue"]
