"""The Ray side of bench/lifecycle.ts. Its cluster has two nodes, so that one can be killed."""

import os
import signal
import time

import ray
from ray.cluster_utils import Cluster
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
from ray_side import serve


@ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)
class Mortal:
    def pid(self):
        return os.getpid()


cluster = None


def start():
    global cluster
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    ray.get(Mortal.remote().pid.remote())


def timed(work):
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def create(count):
    made = []

    def work():
        made.extend(Mortal.remote() for _ in range(count))
        ray.get([one.pid.remote() for one in made])

    ms = timed(work)
    for one in made:
        ray.kill(one)
    return ms


def recover():
    one = Mortal.remote()
    pid = ray.get(one.pid.remote())
    time.sleep(1.5)
    os.kill(pid, signal.SIGKILL)
    ms = timed(lambda: ray.get(one.pid.remote()))
    ray.kill(one)
    return ms


def lose_node():
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    there = NodeAffinitySchedulingStrategy(node_id=node.node_id, soft=True)
    one = Mortal.options(scheduling_strategy=there).remote()
    pid = ray.get(one.pid.remote())
    raylet = node.all_processes["raylet"][0].process.pid
    os.kill(raylet, signal.SIGKILL)

    def work():
        while ray.get(one.pid.remote()) == pid:
            pass

    ms = timed(work)
    ray.kill(one)
    cluster.remove_node(node, allow_graceful=False)
    return ms


def answer(order):
    return {
        "create one, first answer": lambda: [create(1) for _ in range(order["inSequence"])],
        "create many at once, per actor": lambda: [create(order["atOnce"]) / order["atOnce"]],
        "SIGKILL of an actor's process until it answers": lambda: [recover() for _ in range(3)],
        "SIGKILL of a node until its actor answers elsewhere": lambda: [lose_node()],
    }[order["row"]]()


try:
    serve(answer, start)
finally:
    cluster.shutdown()
