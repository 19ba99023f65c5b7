// The init of a sandbox: does the operations that arrive on stdin and answers on stdout (wire.h).
//   sandboxd serve workspace=DIR [scratch=DIR]... [processes=N] [memory_mb=N] [file_mb=N] [isolate=UID] [remove=DIR]
// Its first frame, before any request and with id 0, lists in `names` what it achieved. `isolate` and `remove` are for the backend
// without a container: take what isolation the kernel grants, and delete the folder that holds the workspace at the end. It ends when stdin does.
//   sandboxd sweep DIR UID exclusive|shared
// removes what a killed one left, as that user; `exclusive` ends all its processes first.
//   sandboxd hold | sandboxd enter PID PROGRAM ARGUMENT...
// are in layers.h.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files.h"
#include "guard.h"
#include "layers.h"
#include "probe.h"
#include "processes.h"
#include "server.h"

namespace {

int fail(const char* what) {
  fprintf(stderr, "sandboxd: %s: %s\n", what, strerror(errno));
  return 70;
}

int serve(int argc, char** argv) {
  Limits limits;
  Server box;
  std::vector<std::string> scratch;
  long uid = -1;
  std::string remove;
  for (int i = 2; i < argc; i++) {
    const char* value = strchr(argv[i], '=');
    if (!value) return errno = EINVAL, fail(argv[i]);
    const std::string key(argv[i], size_t(value++ - argv[i]));
    if (key == "workspace") box.workspace = value;
    else if (key == "scratch") scratch.push_back(value);
    else if (key == "processes") limits.processes = uint32_t(atoi(value));
    else if (key == "memory_mb") limits.memory_mb = uint32_t(atoi(value));
    else if (key == "file_mb") limits.file_mb = uint32_t(atoi(value));
    else if (key == "isolate") uid = atol(value);
    else if (key == "remove") remove = value;
    else return errno = EINVAL, fail(argv[i]);
  }
  syscall(SYS_close_range, 3u, ~0u, 0u);
  for (int fd : {0, 1}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);

  if (uid >= 0 && !isolate(uint32_t(uid), box.achieved)) return fail("cannot take the sandbox's user");
  for (const std::string& s : box.achieved) box.own_ipc |= s == "ipc";
  if (getpid() == 1) {
    box.own_ipc = true;
    box.achieved.push_back("init");
  }
  const auto open_dir = [](const std::string& path) { return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); };
  // A backend without a container leaves these to us, for they belong to the user we just became.
  if (!remove.empty())
    for (const std::string* s : {&box.workspace, &scratch.front()}) mkdir(s->c_str(), 0700);
  if (!box.open_workspace()) return fail("workspace");
  for (const std::string& s : scratch) {
    box.scratch.push_back(open_dir(s));
    if (box.scratch.back() < 0) return fail(s.c_str());
  }
  if (!apply_limits(limits)) return fail("limits");
  if (install_seccomp()) box.achieved.push_back("seccomp");
  if (!scratch.empty()) box.scratch_path = scratch[0];
  const int children = watch_children();
  if (children < 0) return fail("signalfd");

  const int status = box.serve(children);
  if (getpid() != 1) kill_all();   // as pid 1 our end is theirs
  if (!remove.empty()) {
    const int folder = open_dir(remove);
    if (folder >= 0) empty_dir(folder);
    rmdir(remove.c_str());
  }
  return status;
}

int sweep(int argc, char** argv) {
  if (argc != 5) return errno = EINVAL, fail("sweep DIR UID exclusive|shared");
  std::vector<std::string> done;
  const bool root = getuid() == 0;
  const long uid = atol(argv[3]);
  if (root && uid > 0 && !isolate(uint32_t(uid), done)) return fail("cannot take the sandbox's user");
  if (root && uid > 0 && !strcmp(argv[4], "exclusive")) kill(-1, SIGKILL);
  const int dir = open(argv[2], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (dir < 0) return fail(argv[2]);
  if (const int error = empty_dir(dir)) return errno = error, fail(argv[2]);
  return rmdir(argv[2]) == 0 ? 0 : fail(argv[2]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "serve")) return serve(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "probe")) return probe(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "hold")) return hold();
  if (argc > 1 && !strcmp(argv[1], "enter")) return enter(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "sweep")) return sweep(argc, argv);
  fprintf(stderr, "usage: sandboxd serve workspace=DIR [...] | sandboxd probe ... | sandboxd sweep DIR UID exclusive|shared | sandboxd hold | sandboxd enter PID PROGRAM\n");
  return 64;
}
