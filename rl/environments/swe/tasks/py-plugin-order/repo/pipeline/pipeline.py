from .order import ordered


class Pipeline:
    """`handler(request)` within middlewares `fn(request, next)`."""

    def __init__(self, handler):
        self.handler = handler
        self.entries = []
        self.position = 0

    def use(self, fn, before=None, after=None):
        self.entries.append({"fn": fn, "before": before, "after": after})
        return self

    def run(self, request):
        def next(other):
            self.position += 1
            if self.position > len(self.entries):
                return self.handler(other)
            return ordered(self.entries)[self.position - 1](other, next)

        return next(request)
