import time

from .entry import Entry


class TtlCache:
    def __init__(self, ttl, clock=time.monotonic):
        self.ttl = ttl
        self.clock = clock
        self.entries = {}

    def __setitem__(self, key, value):
        if key in self.entries:
            self.entries[key].value = value
        else:
            self.entries[key] = Entry(value, self.clock())

    def get(self, key, default=None):
        entry = self.entries.get(key)
        if entry is None or self.clock() - entry.at > self.ttl:
            return default
        return entry.value

    def get_or_set(self, key, make):
        value = self.get(key)
        if value is None:
            value = make()
            self[key] = value
        return value

    def __contains__(self, key):
        return key in self.entries

    def __delitem__(self, key):
        del self.entries[key]

    def __len__(self):
        return len(self.entries)

    def __iter__(self):
        return iter(self.entries)
