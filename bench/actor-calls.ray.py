"""The Ray side of bench/actor-calls.ts: reads one order a line, measures it, answers one line.

The shapes are those of Ray's own microbenchmark (ray._private.ray_perf): actors that return a small value, asked one
call at a time, or in batches that are all in flight at once.
"""

import json
import os
import sys
import time

import ray

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
MARK = f"ACTORS_BENCH_MARK={os.environ['ACTORS_BENCH_MARK']}".encode()


@ray.remote(num_cpus=0)
class Server:
    def value(self):
        return "ok"


@ray.remote(num_cpus=0)
class Client:
    def __init__(self, servers):
        self.servers = servers

    def batch(self, count):
        ray.get([self.servers[i % len(self.servers)].value.remote() for i in range(count)])


def marked_pids():
    """Driver, head node and workers: whatever has inherited our environment."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if MARK in file.read().split(b"\0"):
                    yield name
        except OSError:
            continue


def cpu_seconds(pids):
    ticks = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", encoding="latin1") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS_PER_SECOND


def repeat(work, ms):
    started = time.perf_counter()
    calls = 0
    while (seconds := time.perf_counter() - started) * 1000 < ms:
        calls += work()
    return calls, seconds


def works(order, servers, clients):
    one, batch = servers[0], order["batch"]

    def sync():
        for _ in range(100):
            ray.get(one.value.remote())
        return 100

    def in_flight():
        ray.get([one.value.remote() for _ in range(batch)])
        return batch

    def many():
        ray.get([client.batch.remote(batch) for client in clients])
        return len(clients) * batch

    return {"1:1 sync": sync, "1:1 async": in_flight, "n:n async": many}


def main():
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever Ray prints is no answer
    ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    print("ready", file=out)
    servers, clients = [], []
    for line in sys.stdin:
        order = json.loads(line)
        if not servers:
            servers = [Server.remote() for _ in range(order["servers"])]
            clients = [Client.remote(servers) for _ in range(order["clients"])]
            ray.get([client.batch.remote(1) for client in clients])
        work = works(order, servers, clients)[order["row"]]
        repeat(work, order["warmUpMs"])
        pids = list(marked_pids())
        before = cpu_seconds(pids)
        calls, seconds = repeat(work, order["measureMs"])
        spent = cpu_seconds(pids) - before
        print(json.dumps({"perSecond": calls / seconds, "cpuMicroseconds": spent / calls * 1e6}), file=out)
    ray.shutdown()


main()
