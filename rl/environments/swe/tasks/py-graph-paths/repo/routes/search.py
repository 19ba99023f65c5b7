import heapq

from .graph import neighbours


def cheapest(graph, start, goal):
    """Cost and stops of the cheapest route."""
    heap = [(0, start, [start])]
    seen = {start}
    while heap:
        cost, stop, path = heapq.heappop(heap)
        for other, price in neighbours(graph, stop):
            if other in seen:
                continue
            seen.add(other)
            if other == goal:
                return cost + price, path + [other]
            heapq.heappush(heap, (cost + price, other, path + [other]))
