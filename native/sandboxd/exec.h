// Commands: own session and process group, wall-clock kill of the whole group, output kept up to a bound. This process
// is the init of its sandbox (pid 1, or a subreaper where there is no pid namespace): every orphan ends as its child.
#pragma once
#include "wire.h"

constexpr uint32_t default_timeout_ms = 10'000;
constexpr uint32_t default_output = 64u << 10;

// Blocks SIGCHLD and opens the descriptor on which run_command hears of it. Before any other call.
bool watch_children();

// Runs argv in the current folder with the current environment. A command that cannot be started is a failure; one that
// fails, is killed or runs out of time is a result. `host_gone` is set when `host_fd` hangs up meanwhile: nobody wants the answer.
Result run_command(const Op& op, int host_fd, bool& host_gone);

// Kills and reaps every process of the sandbox but this one. False when some survived (only possible without a pid namespace).
bool kill_all();
