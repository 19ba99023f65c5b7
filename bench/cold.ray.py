"""One cold start for bench/lifecycle.ts."""

import os

out = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)  # whatever Ray prints is no answer

import ray  # noqa: E402


@ray.remote(num_cpus=0)
class Mortal:
    def pid(self):
        return os.getpid()


ray.init("local", include_dashboard=False, log_to_driver=False, configure_logging=False)
ray.get(Mortal.remote().pid.remote())
print("answered", file=out)
ray.shutdown()
