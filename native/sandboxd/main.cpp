// The init of a sandbox: does the operations that arrive on stdin, in order, and answers on stdout (wire.h).
//   sandboxd serve workspace=DIR [scratch=DIR]... [processes=N] [memory_mb=N] [file_mb=N] [isolate=UID] [remove=1]
// Its first frame, before any request, lists in `names` what it achieved. `isolate` and `remove` are for the backend
// without a container: take what isolation the kernel grants, and delete the workspace at the end. It ends when stdin does.
//   sandboxd sweep DIR UID exclusive|shared
// removes what a killed one left, as that user; `exclusive` ends all its processes first.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec.h"
#include "files.h"
#include "guard.h"
#include "probe.h"
#include "wire.h"

namespace {

constexpr uint32_t max_frame = 64u << 20;

struct Sandbox {
  int root = -1;
  std::vector<int> scratch;
  std::vector<std::string> achieved;
  bool own_ipc = false;
  bool used = true;   // a command ran since the last reset: there may be processes, temporary files, shared memory

  Result reset(const Op& op) {
    if (used) {
      if (!kill_all()) return failure(EBUSY, "processes survived");
      for (int dir : scratch)
        if (const int error = empty_dir(dir)) return failure(error, "temporary files");
      if (own_ipc) remove_sysv_ipc();
      used = false;
    }
    if (const int error = empty_dir(root)) return failure(error, "workspace");
    for (const File& f : op.files) {
      Result r = write_file(root, f);
      if (!r.ok) return r;
    }
    return {};
  }

  Result perform(const Op& op, bool& host_gone) {
    switch (op.kind) {
      case Op::Kind::reset: return reset(op);
      case Op::Kind::write: return write_file(root, op.files[0]);
      case Op::Kind::read: return read_file(root, op.path);
      case Op::Kind::list: return list_dir(root, op.path);
      case Op::Kind::exec: used = true; return run_command(op, STDIN_FILENO, host_gone);
      case Op::Kind::none: break;
    }
    return failure(ENOSYS, "unknown operation");
  }

  // Until the host hangs up. 0 then, else the exit status for a broken stream.
  int serve() {
    Result hello;
    hello.names = achieved;
    if (!write_frame(STDOUT_FILENO, encode_results({hello}))) return 0;
    std::string frame;
    for (;;) {
      const Frame got = read_frame(STDIN_FILENO, frame, max_frame);
      if (got != Frame::ok) return got == Frame::end ? 0 : 65;
      std::vector<Op> ops;
      if (!decode_run(frame, ops)) return 65;
      std::vector<Result> results;
      bool host_gone = false;
      for (const Op& op : ops) {
        results.push_back(perform(op, host_gone));
        if (host_gone) return 0;
        if (!results.back().ok) break;
      }
      if (!write_frame(STDOUT_FILENO, encode_results(results))) return 0;
    }
  }
};

int fail(const char* what) {
  fprintf(stderr, "sandboxd: %s: %s\n", what, strerror(errno));
  return 70;
}

int serve(int argc, char** argv) {
  Limits limits;
  Sandbox box;
  std::string workspace;
  std::vector<std::string> scratch;
  long uid = -1;
  bool remove = false;
  for (int i = 2; i < argc; i++) {
    const char* value = strchr(argv[i], '=');
    if (!value) return errno = EINVAL, fail(argv[i]);
    const std::string key(argv[i], size_t(value++ - argv[i]));
    if (key == "workspace") workspace = value;
    else if (key == "scratch") scratch.push_back(value);
    else if (key == "processes") limits.processes = uint32_t(atoi(value));
    else if (key == "memory_mb") limits.memory_mb = uint32_t(atoi(value));
    else if (key == "file_mb") limits.file_mb = uint32_t(atoi(value));
    else if (key == "isolate") uid = atol(value);
    else if (key == "remove") remove = true;
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
  box.root = open_dir(workspace);
  if (box.root < 0 || fchdir(box.root) != 0) return fail("workspace");
  for (const std::string& s : scratch) {
    box.scratch.push_back(open_dir(s));
    if (box.scratch.back() < 0) return fail(s.c_str());
  }
  if (!apply_limits(limits)) return fail("limits");
  if (install_seccomp()) box.achieved.push_back("seccomp");
  if (!watch_children()) return fail("signalfd");

  const int status = box.serve();
  if (getpid() != 1) kill_all();   // as pid 1 our end is theirs
  if (remove) {
    empty_dir(box.root);
    rmdir(workspace.c_str());
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
  if (argc > 1 && !strcmp(argv[1], "sweep")) return sweep(argc, argv);
  fprintf(stderr, "usage: sandboxd serve workspace=DIR [...] | sandboxd probe ... | sandboxd sweep DIR UID exclusive|shared\n");
  return 64;
}
