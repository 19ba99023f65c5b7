"""The Ray side of bench/objects.ts: answers a list of seconds."""

import time

import numpy as np
import ray
from ray_side import serve


@ray.remote(num_cpus=0)
class Receiver:
    def take(self, data):
        return int(data[0]) + int(data[-1])

    def read(self, data):
        return int(data[::4096].sum())


@ray.remote(num_cpus=0)
class Sender:
    def __init__(self, to, size):
        self.to = to
        self.data = np.ones(size, dtype=np.uint8)

    def send(self, method, count):
        seconds = []
        for _ in range(count):
            started = time.perf_counter()
            ray.get(getattr(self.to, method).remote(self.data))
            seconds.append(time.perf_counter() - started)
        return seconds


def small(order):
    value = np.ones(order["smallBytes"], dtype=np.uint8)
    count = order["smallCount"]
    started = time.perf_counter()
    refs = [ray.put(value) for _ in range(count)]
    between = time.perf_counter()
    for ref in refs:
        ray.get(ref)
    return (between - started) / count, (time.perf_counter() - between) / count


def put_huge(value):
    started = time.perf_counter()
    ref = ray.put(value)
    seconds = time.perf_counter() - started
    del ref
    return seconds


made = {}


def answer(order):
    if not made:
        made["sender"] = Sender.remote(Receiver.remote(), order["sentBytes"])
        made["huge"] = np.ones(order["hugeBytes"], dtype=np.uint8)
    sender, count = made["sender"], order["sentCount"]
    return {
        "put 1 KiB": lambda: [small(order)[0]],
        "get 1 KiB": lambda: [small(order)[1]],
        "put 1 GiB": lambda: [put_huge(made["huge"])],
        "100 MiB to an actor": lambda: ray.get(sender.send.remote("take", count)),
        "100 MiB to an actor, read": lambda: ray.get(sender.send.remote("read", count)),
    }[order["row"]]()


serve(answer)
