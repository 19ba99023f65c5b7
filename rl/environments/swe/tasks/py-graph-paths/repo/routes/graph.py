def stops(graph):
    """All stops that a graph names."""
    return set(graph)


def neighbours(graph, stop):
    return graph[stop].items()
