class Store:
    """Values by key, the oldest dropped beyond `limit`."""

    def __init__(self, limit):
        self.limit = limit
        self.values = {}

    def get(self, key):
        return self.values.get(key)

    def put(self, key, value):
        self.values[key] = value
        if len(self.values) > self.limit:
            del self.values[next(iter(self.values))]
