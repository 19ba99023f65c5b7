"""The Ray side of bench/objects.ts: reads one order a line, measures it, answers a list of seconds in one line."""

import json
import os
import sys
import time

import numpy as np
import ray


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


def main():
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever Ray prints is no answer
    ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    print("ready", file=out)
    sender = huge = None
    for line in sys.stdin:
        order = json.loads(line)
        if sender is None:
            sender = Sender.remote(Receiver.remote(), order["sentBytes"])
            huge = np.ones(order["hugeBytes"], dtype=np.uint8)
        row, count = order["row"], order["sentCount"]
        seconds = {
            "put 1 KiB": lambda: [small(order)[0]],
            "get 1 KiB": lambda: [small(order)[1]],
            "put 1 GiB": lambda: [put_huge(huge)],
            "100 MiB to an actor": lambda: ray.get(sender.send.remote("take", count)),
            "100 MiB to an actor, read": lambda: ray.get(sender.send.remote("read", count)),
        }[row]()
        print(json.dumps(seconds), file=out)
    ray.shutdown()


main()
