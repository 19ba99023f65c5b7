#include "processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace {

int child_fd = -1;

std::vector<std::pair<pid_t, pid_t>> parents() {   // (process, parent)
  std::vector<std::pair<pid_t, pid_t>> found;
  DIR* proc = opendir("/proc");
  if (!proc) return found;
  while (const dirent* e = readdir(proc)) {
    const pid_t pid = atoi(e->d_name);
    if (pid <= 0) continue;
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    const ssize_t n = read(fd, line, sizeof line - 1);
    close(fd);
    line[n > 0 ? n : 0] = 0;
    int parent;
    const char* after = strrchr(line, ')');   // the name before it may hold anything
    if (after && sscanf(after + 1, " %*c %d", &parent) == 1) found.emplace_back(pid, parent);
  }
  closedir(proc);
  return found;
}

}  // namespace

int watch_children() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);   // past the size limit a write fails with EFBIG instead
  return child_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

void reap_children(const std::function<void(pid_t, int)>& ended) {
  signalfd_siginfo heard[16];
  while (read(child_fd, heard, sizeof heard) > 0) {}
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) ended(pid, status);
}

void kill_descendants(pid_t ancestor) {
  const auto all = parents();
  std::vector<pid_t> ours{ancestor};
  for (size_t i = 0; i < ours.size(); i++)
    for (auto [pid, parent] : all)
      if (parent == ours[i]) ours.push_back(pid);
  for (size_t i = 1; i < ours.size(); i++) kill(ours[i], SIGKILL);
}

bool kill_all() {
  int status;
  if (waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD) return true;
  if (getpid() == 1) {
    kill(-1, SIGKILL);
    while (waitpid(-1, &status, 0) > 0 || errno == EINTR) {}
    return true;
  }
  for (int round = 0; round < 200; round++) {
    kill_descendants(getpid());
    pid_t p;
    while ((p = waitpid(-1, &status, WNOHANG)) > 0) {}
    if (p < 0 && errno == ECHILD) return true;
    usleep(1000);
  }
  return false;
}
