// Commands: own session and process group, wall-clock kill of the whole group, output kept up to a bound. One either is
// a process of its own, or a line of a lasting shell, which gets an interrupt first.
#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "output.h"
#include "wire.h"

constexpr uint32_t default_timeout_ms = 10'000;
constexpr uint32_t default_output = 64u << 10;

constexpr int64_t never = INT64_MAX;

int64_t now_ms();

// posix_spawn in a session of its own, with `fds[i]` as descriptor i; a negative one is /dev/null. 0 or an errno.
int spawn_session(const std::vector<std::string>& argv, const std::vector<int>& fds, const std::string& cwd,
                  const std::vector<std::string>& env, pid_t& pid);

// A bash that lasts. Its commands come through a file it reads again for each (so that one of a megabyte passes) and it
// tells status and folder on a descriptor its commands do not have.
struct Shell {
  pid_t pid = -1;
  std::string cwd;          // where it was last
  std::string told;         // on the control descriptor, up to an incomplete message
  std::string late_out, late_err;   // what its background wrote between commands: the next one's, as on a terminal
  bool ready = false, busy = false;
  bool started = false;     // the command runs: an interrupt reaches it and nothing else
  unsigned number = 0;      // of the command
  int in = -1, out = -1, err = -1, control = -1, text = -1;

  ~Shell() { close_all(); }
  int start();              // 0 or an errno
  void send(const std::string& command);
  void keep_late();         // between commands, so that the background never blocks
  void close_all();
};

class Command {
 public:
  // Null when it cannot be started, with the reason in `failed`. `scratch` is where logs go; the shell may be null.
  static std::unique_ptr<Command> start(const Op& op, Shell* shell, const std::string& scratch, Result& failed);
  ~Command();

  void watch(std::vector<pollfd>& to) const;
  // Reads and writes what is ready, and enforces the deadline.
  void turn();
  int64_t wakes_at() const { return shell_ && shell_->started ? std::min(deadline_, interrupt_at_) : deadline_; }
  void child_ended(pid_t pid, int status);
  void killed() { child_ended(pid_, SIGKILL); }   // by kill_all, which reaped it
  bool done() const { return done_; }
  Result result();

  void signal(int number);
  void feed(const std::string& bytes, bool close);
  Output out, err;

 private:
  Command(const Op& op, Shell* shell, const std::string& scratch);
  int spawn(const Op& op);
  void hear_shell();
  void hear_shell(const std::string& message);
  void past_deadline();
  void write_input();
  void finish();

  Shell* shell_;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;   // its own; those of a shell stay there
  std::string line_, input_;            // line: for a shell that is not ready yet
  bool keep_open_, streamed_, done_ = false, timed_out_ = false, lost_ = false;
  int status_ = 0, stage_ = 0;          // stage: how hard the shell was told to stop
  int64_t started_ms_ = 0, interrupt_at_ = never;
  int64_t deadline_;
};
