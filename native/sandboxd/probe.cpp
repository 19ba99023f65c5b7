#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace {

void tell(const char* name, bool holds, const char* why) {
  if (holds) printf("%s yes\n", name);
  else printf("%s no %s\n", name, why);
}

bool reaches_port(int port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(uint16_t(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool yes = fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  if (fd >= 0) close(fd);
  return yes;
}

bool reaches_abstract(const char* name) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  strncpy(to.sun_path + 1, name, sizeof to.sun_path - 2);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const socklen_t size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + strlen(name));
  const bool yes = fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&to), size) == 0;
  if (fd >= 0) close(fd);
  return yes;
}

bool can_open(const char* path, int flags) {
  const int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

int processes_until_refused(int limit) {
  std::vector<pid_t> started;
  for (pid_t p; int(started.size()) <= limit && (p = fork()) >= 0; started.push_back(p))
    if (p == 0) {
      pause();
      _exit(0);
    }
  for (pid_t p : started) kill(p, SIGKILL);
  for (pid_t p : started) waitpid(p, nullptr, 0);
  return int(started.size());
}

}  // namespace

int probe(int argc, char** argv) {
  if (argc != 9) return 64;
  const int port = atoi(argv[2]), processes = atoi(argv[7]);
  const pid_t owner = atoi(argv[4]);
  const size_t memory = size_t(atoi(argv[6])) << 20, disk = size_t(atoi(argv[8])) << 20;

  tell("network", !reaches_port(port) && !reaches_abstract(argv[3]), "a host socket answers");
  tell("processes-hidden", kill(owner, 0) != 0 && errno == ESRCH, "the owner's process is visible");
  tell("signals", kill(owner, 0) != 0, "the owner can be signalled");
  tell("files", !can_open(argv[5], O_RDONLY) && !can_open("/etc/shadow", O_RDONLY), "a host file can be read");
  tell("sysctl", !can_open("/proc/sys/kernel/core_pattern", O_WRONLY), "kernel settings can be written");
  tell("namespaces", unshare(CLONE_NEWUSER) != 0, "a user namespace can be made");

  void* m = mmap(nullptr, memory + (64 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  tell("memory", m == MAP_FAILED, "more than the limit can be mapped");
  if (m != MAP_FAILED) munmap(m, memory + (64 << 20));
  tell("pids", processes_until_refused(processes) <= processes, "more processes than the limit start");
  struct statvfs s;
  tell("disk", statvfs(".", &s) == 0 && uint64_t(s.f_blocks) * s.f_frsize <= disk, "the workspace is not bounded");
  return 0;
}
