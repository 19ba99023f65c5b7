from .next import next_run

__all__ = ["next_run"]
