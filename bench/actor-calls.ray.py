"""The Ray side of bench/actor-calls.ts.

The shapes are those of Ray's own microbenchmark (ray._private.ray_perf): actors that return a small value, asked one
call at a time, or in batches that are all in flight at once.
"""

import numpy as np
import ray
from ray_side import measure, serve


@ray.remote(num_cpus=0)
class Server:
    def value(self):
        return "ok"

    def take(self, data):
        return "ok"


@ray.remote(num_cpus=0)
class Client:
    def __init__(self, servers):
        self.servers = servers

    def batch(self, count):
        ray.get([self.servers[i % len(self.servers)].value.remote() for i in range(count)])

    def batch_with(self, count, size):
        data = np.zeros(size, dtype=np.uint8)
        ray.get([self.servers[i % len(self.servers)].take.remote(data) for i in range(count)])


servers, clients = [], []


def answer(order):
    batch, size = order["batch"], order["argumentBytes"]
    if not servers:
        servers.extend(Server.remote() for _ in range(order["servers"]))
        clients.extend(Client.remote(servers) for _ in range(order["clients"]))
        ray.get([client.batch.remote(1) for client in clients])
    one = servers[0]

    def sync():
        for _ in range(100):
            ray.get(one.value.remote())
        return 100

    def in_flight():
        ray.get([one.value.remote() for _ in range(batch)])
        return batch

    def to_many():
        ray.get([servers[i % len(servers)].value.remote() for i in range(batch)])
        return batch

    def many():
        ray.get([client.batch.remote(batch) for client in clients])
        return len(clients) * batch

    def many_with():
        ray.get([client.batch_with.remote(batch, size) for client in clients])
        return len(clients) * batch

    works = {
        "1:1 sync": sync,
        "1:1 async": in_flight,
        "1:n async": to_many,
        "n:n async": many,
        "n:n async with argument": many_with,
    }
    return measure(works[order["row"]], order)


serve(answer)
