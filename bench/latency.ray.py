"""The Ray side of bench/latency.ts."""

import time

import ray
from ray_side import serve


@ray.remote(num_cpus=0)
class Server:
    def value(self):
        return "ok"


@ray.remote(num_cpus=0)
class Client:
    def __init__(self, server):
        self.server = server

    def batch(self, count):
        ray.get([self.server.value.remote() for _ in range(count)])

    def latencies(self, ms):
        taken = []
        end = time.perf_counter() + ms / 1000
        while (started := time.perf_counter()) < end:
            ray.get(self.server.value.remote())
            taken.append((time.perf_counter() - started) * 1e6)
        return taken


pairs = []


def answer(order):
    if not pairs:
        pairs.extend(Client.remote(Server.remote()) for _ in range(2))
        ray.get([pair.latencies.remote(order["warmUpMs"]) for pair in pairs])
    quiet, busy = pairs
    taken = quiet.latencies.remote(order["measureMs"])
    while order["isBusy"] and not ray.wait([taken], timeout=0)[0]:
        ray.get(busy.batch.remote(order["batch"]))
    return ray.get(taken)


serve(answer)
