import functools

from .store import Store

store = Store(1000)


def memo(function):
    """Remembers what `function` returned."""

    @functools.wraps(function)
    def remembered(*args, **kwargs):
        key = f"{function.__name__}({args}, {kwargs})"
        value = store.get(key)
        if value is None:
            value = function(*args, **kwargs)
            store.put(key, value)
        return value

    return remembered
