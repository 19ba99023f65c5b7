// What this process takes from itself, and so from everything it starts, before it serves.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

struct Limits {
  uint32_t processes = 64, memory_mb = 512, file_mb = 64;
};

// For the backend without a container: new network and IPC namespaces where the kernel lets us (adds "network", "ipc"
// to `done`), then the given uid when started as root ("user"). False only when the uid could not be taken.
bool isolate(uint32_t uid, std::vector<std::string>& done);

// rlimits, no_new_privs, not dumpable (nothing in the sandbox can trace it or open its descriptors), subreaper.
bool apply_limits(const Limits& limits);

// Refuses the calls an agent's program has no business with: io_uring, bpf, perf, ptrace, keyrings, mounts, namespaces,
// kernel modules. False where the kernel or the architecture has no filter.
bool install_seccomp();

// Removes System V shared memory, queues and semaphores; for a sandbox with an IPC namespace of its own.
void remove_sysv_ipc();
