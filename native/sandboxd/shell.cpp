#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "command.h"

namespace {

// Interactive, because only then an interrupt ends a loop of builtins and leaves the shell alive.
const std::vector<std::string> bash = {"bash", "--norc", "--noprofile", "--noediting", "-i"};
// Before each prompt it tells the number of the command, its status and the folder; after an interrupt too.
std::string tell(unsigned command, const char* status) {
  return "PROMPT_COMMAND=\"printf '%s %s %s\\0' " + std::to_string(command) + " " + status + " \\\"\\$PWD\\\" >&3\"";
}

void put(int fd, const char* bytes, size_t n) {
  while (n > 0) {
    const ssize_t k = write(fd, bytes, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return;
    bytes += k;
    n -= size_t(k);
  }
}

}  // namespace

int Shell::start() {
  Pipe to, from, bad, status;
  if (!to.open() || !from.open() || !bad.open() || !status.open()) return errno;
  text = memfd_create("command", MFD_CLOEXEC);
  if (text < 0) return errno;
  const std::vector<int> fds{to.read, from.write, bad.write, status.write, text};
  int error = spawn_session(bash, fds, cwd, {"PS1="}, pid);
  if (error && !cwd.empty()) error = spawn_session(bash, fds, "", {"PS1="}, pid);   // its folder is gone
  if (error) return pid = -1, close_all(), error;
  std::swap(in, to.write);
  std::swap(out, from.read);
  std::swap(err, bad.read);
  std::swap(control, status.read);
  for (int fd : {out, err, control}) fcntl(fd, F_SETFL, O_NONBLOCK);
  ready = false;
  told.clear();
  started = false;
  number = 0;
  const std::string prepare = "PS1= PS2=;set +o history +H;" + tell(0, "0") + "\n";
  put(in, prepare.data(), prepare.size());
  return 0;
}

void Shell::send(const std::string& command) {
  if (ftruncate(text, 0) != 0 || lseek(text, 0, SEEK_SET) != 0) return;
  put(text, command.data(), command.size());
  lseek(text, 0, SEEK_SET);   // the position is shared with the shell's descriptor
  started = false;
  number++;
  // Read whole when it says "go": an interrupt before would leave the rest of the line to be read as another.
  const std::string line = tell(number, "130") + ";printf 'go\\0' >&3;mapfile -d '' -t __command <&4;eval \"$__command\" 3>&- 4>&- </dev/null;" +
                           tell(number, "$?") + "\n";
  put(in, line.data(), line.size());
}

void Shell::keep_late() {
  const auto take = [](int& fd, std::string& keep) {
    char buffer[16 << 10];
    ssize_t n;
    while (fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0)
      if (keep.size() < default_output) keep.append(buffer, size_t(n));
  };
  take(out, late_out);
  take(err, late_err);
}

void Shell::close_all() {
  if (pid > 0) kill(-pid, SIGKILL);
  pid = -1;
  for (int* fd : {&in, &out, &err, &control, &text}) Pipe::drop(*fd);
}
