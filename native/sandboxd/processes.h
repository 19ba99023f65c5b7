// This process is the init of its sandbox (pid 1, or a subreaper where there is no pid namespace): every orphan ends as
// its child.
#pragma once
#include <sys/types.h>

#include <functional>

// Blocks SIGCHLD and returns the descriptor that is readable once a child ended, or -1. Before any other call.
int watch_children();

// Reaps whatever has ended, and tells of each.
void reap_children(const std::function<void(pid_t pid, int status)>& ended);

// Kills every process whose chain of parents leads to `ancestor`, but not itself. One pass: a fork may race.
void kill_descendants(pid_t ancestor);

// Kills and reaps every process of the sandbox but this one. False when some survived (only possible without a pid namespace).
bool kill_all();
