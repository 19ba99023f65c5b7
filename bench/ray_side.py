"""What the Ray sides of the benchmarks share: one order a line comes in, one answer a line goes out."""

import json
import os
import sys
import time

import ray

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
MARK = f"ACTORS_BENCH_MARK={os.environ['ACTORS_BENCH_MARK']}".encode()


def start_local():
    ray.init("local", include_dashboard=False, log_to_driver=False, configure_logging=False)


def serve(answer, start=start_local):
    """Answers orders by `answer(order)` until there are no more."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever Ray prints is no answer
    start()
    print("ready", file=out)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=out)
    ray.shutdown()


def marked_pids():
    """Driver, head node and workers: whatever has inherited our environment."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if MARK in file.read().split(b"\0"):
                    yield int(name)
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


def pss_mib(pids):
    kib = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", encoding="latin1") as file:
                kib += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue
    return kib / 1024


def repeat(work, ms):
    started = time.perf_counter()
    calls = 0
    while (seconds := time.perf_counter() - started) * 1000 < ms:
        calls += work()
    return calls, seconds


def measure(work, order):
    """What `theirs` of bench/measure.ts asks for."""
    repeat(work, order["warmUpMs"])
    pids = list(marked_pids())
    before = cpu_seconds(pids)
    calls, seconds = repeat(work, order["measureMs"])
    spent = cpu_seconds(pids) - before
    return {"perSecond": calls / seconds, "cpuMicroseconds": spent / calls * 1e6}
