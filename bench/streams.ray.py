"""The Ray side of bench/streams.ts."""

import ray
from ray.dag import InputNode
from ray.util.queue import Queue
from ray_side import measure, serve


@ray.remote(num_cpus=0)
class Source:
    def count(self, n):
        for i in range(n):  # Ray wants a generator that can be sent to
            yield i

    def echo(self, n):
        return n


made = {}


def graph_of():
    if "graph" not in made:
        with InputNode() as number:
            node = Source.remote().echo.bind(number)
        made["graph"] = node.experimental_compile(_max_inflight_executions=1000)
    return made["graph"]


def answer(order):
    batch = order["batch"]
    if "source" not in made:
        made["source"] = Source.remote()
        made["queue"] = Queue(actor_options={"num_cpus": 0})
    one, queue = made["source"], made["queue"]

    def stream():
        count = 0
        for ref in one.count.options(num_returns="streaming").remote(order["items"]):
            ray.get(ref)
            count += 1
        return count

    def line():
        for i in range(batch):
            queue.put(i)
            queue.get()
        return batch

    def graph():
        compiled = graph_of()
        for i in range(batch):
            ray.get(compiled.execute(i))
        return batch

    def pipelined():
        compiled = graph_of()
        for ref in [compiled.execute(i) for i in range(batch)]:
            ray.get(ref)
        return batch

    works = {
        "stream items": stream,
        "queue put and get": line,
        "graph sync": graph,
        "graph pipelined": pipelined,
    }
    return measure(works[order["row"]], order)


serve(answer)
