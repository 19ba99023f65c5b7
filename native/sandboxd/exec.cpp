#include "exec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "files.h"

extern char** environ;

namespace {

int child_fd = -1;

int64_t now_ms() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1'000'000;
}

struct Pipe {
  int read = -1, write = -1;
  bool open() {
    int p[2];
    if (pipe2(p, O_CLOEXEC) != 0) return false;
    read = p[0];
    write = p[1];
    return true;
  }
  static void drop(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
  ~Pipe() {
    drop(read);
    drop(write);
  }
};

// Keeps at most `max` bytes and goes on reading, so that a flood neither fills memory nor blocks the writer for ever.
void drain(int& fd, std::string& keep, size_t max, bool& truncated) {
  static char buffer[64 << 10];
  for (int round = 0; round < 16 && fd >= 0; round++) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return Pipe::drop(fd);
    const size_t room = std::min(size_t(n), max - std::min(max, keep.size()));
    keep.append(buffer, room);
    truncated |= room < size_t(n);
  }
}

void feed(int& fd, const std::string& input, size_t& sent) {
  const ssize_t n = write(fd, input.data() + sent, input.size() - sent);
  if (n > 0) sent += size_t(n);
  if ((n < 0 && errno != EAGAIN && errno != EINTR) || sent == input.size()) Pipe::drop(fd);
}

int start(const Op& op, Pipe& in, Pipe& out, Pipe& err, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (in.read >= 0) posix_spawn_file_actions_adddup2(&files, in.read, 0);
  else posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.write, 1);
  posix_spawn_file_actions_adddup2(&files, err.write, 2);
  posix_spawnattr_t attr;
  posix_spawnattr_init(&attr);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &all);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv;
  for (const std::string& a : op.argv) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const int error = posix_spawnp(&pid, argv[0], &files, &attr, argv.data(), environ);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// Reaps whatever has ended; true once `pid` has, with its status.
bool reap(pid_t pid, int& status) {
  signalfd_siginfo heard[16];
  while (read(child_fd, heard, sizeof heard) > 0) {}
  bool ended = false;
  int s;
  for (pid_t p; (p = waitpid(-1, &s, WNOHANG)) > 0;)
    if (p == pid) {
      status = s;
      ended = true;
    }
  return ended;
}

// Without a pid namespace: every process whose chain of parents leads here. Scanned until none is left, for a fork may race.
bool kill_descendants() {
  const pid_t self = getpid();
  for (int round = 0; round < 200; round++) {
    std::vector<std::pair<pid_t, pid_t>> parents;   // (process, parent)
    if (DIR* proc = opendir("/proc")) {
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
        if (after && sscanf(after + 1, " %*c %d", &parent) == 1) parents.emplace_back(pid, parent);
      }
      closedir(proc);
    }
    std::vector<pid_t> ours{self};
    for (size_t i = 0; i < ours.size(); i++)
      for (auto [pid, parent] : parents)
        if (parent == ours[i]) ours.push_back(pid);
    for (size_t i = 1; i < ours.size(); i++) kill(ours[i], SIGKILL);
    int status;
    pid_t p;
    while ((p = waitpid(-1, &status, WNOHANG)) > 0) {}
    if (p < 0 && errno == ECHILD) return true;
    usleep(1000);
  }
  return false;
}

}  // namespace

bool watch_children() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);   // past the size limit a write fails with EFBIG instead
  child_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  return child_fd >= 0;
}

Result run_command(const Op& op, int host_fd, bool& host_gone) {
  if (op.argv.empty() || op.argv[0].empty()) return failure(EINVAL, "argv is empty");
  for (const std::string& a : op.argv)
    if (a.find('\0') != std::string::npos) return failure(EINVAL, "argv holds a NUL byte");
  Pipe in, out, err;
  if (!out.open() || !err.open() || (!op.input.empty() && !in.open())) return failure(errno, "pipe");
  pid_t pid = -1;
  const int64_t limit = op.timeout_ms ? op.timeout_ms : default_timeout_ms, deadline = now_ms() + limit;
  if (const int error = start(op, in, out, err, pid)) return failure(error, op.argv[0]);
  Pipe::drop(in.read);
  Pipe::drop(out.write);
  Pipe::drop(err.write);
  for (int fd : {in.write, out.read, err.read})
    if (fd >= 0) fcntl(fd, F_SETFL, O_NONBLOCK);

  Result r;
  const size_t max = op.max_output ? op.max_output : default_output;
  size_t sent = 0;
  int status = 0;
  for (;;) {
    pollfd p[5] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}, {child_fd, POLLIN, 0}, {host_fd, 0, 0}};
    const int64_t left = r.timed_out ? 1000 : std::max<int64_t>(0, deadline - now_ms());
    poll(p, 5, int(std::min<int64_t>(left, 1'000'000)));
    if (p[4].revents & (POLLHUP | POLLERR)) host_gone = true;
    if (p[0].revents) drain(out.read, r.data, max, r.truncated);
    if (p[1].revents) drain(err.read, r.err, max, r.truncated);
    if (p[2].revents) feed(in.write, op.input, sent);
    if (reap(pid, status)) break;
    if (host_gone || now_ms() >= deadline) {
      r.timed_out = !host_gone;
      kill(-pid, SIGKILL);
    }
  }
  // What the command wrote is in the pipes by now; a daemon that still holds them is not waited for.
  drain(out.read, r.data, max, r.truncated);
  drain(err.read, r.err, max, r.truncated);
  if (WIFEXITED(status)) r.exit_code = WEXITSTATUS(status);
  else {
    r.exit_code = -1;
    const char* name = sigabbrev_np(WTERMSIG(status));
    r.signal = std::string("SIG") + (name ? name : "RT");
  }
  return r;
}

bool kill_all() {
  int status;
  if (waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD) return true;
  if (getpid() != 1) return kill_descendants();
  kill(-1, SIGKILL);
  while (waitpid(-1, &status, 0) > 0 || errno == EINTR) {}
  return true;
}
