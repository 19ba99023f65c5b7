"""The Ray side of bench/memory.ts: an idle head node, without the driver."""

import os

from ray_side import marked_pids, pss_mib, serve

serve(lambda order: pss_mib(pid for pid in marked_pids() if pid != os.getpid()))
