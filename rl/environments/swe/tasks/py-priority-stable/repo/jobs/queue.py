import heapq

from .ids import counter


class JobQueue:
    """Jobs by priority, the lowest number first."""

    def __init__(self):
        self.heap = []
        self.ids = counter()
        self.cancelled = set()

    def add(self, payload, priority=0):
        """The id of the new job."""
        id = next(self.ids)
        heapq.heappush(self.heap, (priority, payload, id))
        return id

    def cancel(self, id):
        self.cancelled.add(id)

    def reprioritize(self, id, priority):
        for entry in self.heap:
            if entry[2] == id:
                self.cancelled.add(id)
                heapq.heappush(self.heap, (priority, entry[1], id))
                return

    def pop(self):
        """The payload of the next job."""
        while self.heap:
            _, payload, id = heapq.heappop(self.heap)
            if id in self.cancelled:
                self.cancelled.discard(id)
                continue
            return payload

    def peek(self):
        return self.pop()

    def __len__(self):
        return len(self.heap)
