#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "files.h"
#include "processes.h"

extern char** environ;

namespace {
constexpr int64_t settling_ms = 50;       // a shell may lose an interrupt while it forks: it gets none before
constexpr int64_t shell_grace_ms = 300;   // between an interrupt, the end of what runs in a shell, and its own end
}

int64_t now_ms() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1'000'000;
}

int spawn_session(const std::vector<std::string>& argv, const std::vector<int>& fds, const std::string& cwd,
                  const std::vector<std::string>& env, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (size_t i = 0; i < fds.size(); i++) {
    if (fds[i] >= 0) posix_spawn_file_actions_adddup2(&files, fds[i], int(i));
    else posix_spawn_file_actions_addopen(&files, int(i), "/dev/null", O_RDONLY, 0);
  }
  if (!cwd.empty()) posix_spawn_file_actions_addchdir_np(&files, cwd.c_str());
  posix_spawnattr_t attr;
  posix_spawnattr_init(&attr);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &all);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> args, variables;
  for (const std::string& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  for (const std::string& e : env) variables.push_back(const_cast<char*>(e.c_str()));
  for (char** e = environ; *e; e++) {
    const size_t name = size_t(strchrnul(*e, '=') - *e) + 1;
    if (std::none_of(env.begin(), env.end(), [&](const std::string& s) { return s.compare(0, name, *e, name) == 0; }))
      variables.push_back(*e);
  }
  args.push_back(nullptr);
  variables.push_back(nullptr);
  const int error = posix_spawnp(&pid, args[0], &files, &attr, args.data(), variables.data());
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

Command::Command(const Op& op, Shell* shell, const std::string& scratch)
    : out(op.max_output ? op.max_output : default_output, scratch + "/exec-", ".stdout"),
      err(op.max_output ? op.max_output : default_output, scratch + "/exec-", ".stderr"),
      shell_(shell),
      input_(op.input),
      keep_open_(op.open_stdin),
      streamed_(op.stream),
      deadline_(now_ms() + (op.timeout_ms ? op.timeout_ms : default_timeout_ms)) {}

std::unique_ptr<Command> Command::start(const Op& op, Shell* shell, const std::string& scratch, Result& failed) {
  if (op.argv.empty() || op.argv[0].empty()) return failed = failure(EINVAL, "argv is empty"), nullptr;
  for (const auto& texts : {op.argv, op.env})
    for (const std::string& text : texts)
      if (text.find('\0') != std::string::npos) return failed = failure(EINVAL, "an argument holds a NUL byte"), nullptr;
  std::unique_ptr<Command> c(new Command(op, shell, scratch));
  if (!shell) {
    if (const int error = c->spawn(op)) return failed = failure(error, op.argv[0]), nullptr;
    return c;
  }
  if (shell->busy) return failed = failure(EBUSY, "shell " + op.shell + " runs another command"), nullptr;
  if (shell->pid < 0)
    if (const int error = shell->start()) return failed = failure(error, "bash"), nullptr;
  shell->busy = true;
  c->pid_ = shell->pid;
  std::swap(c->out.kept, shell->late_out);
  std::swap(c->err.kept, shell->late_err);
  if (shell->ready) shell->send(op.argv[0]);
  else c->line_ = op.argv[0];
  return c;
}

int Command::spawn(const Op& op) {
  Pipe in, to, bad;
  if (!to.open() || !bad.open() || ((!op.input.empty() || keep_open_) && !in.open())) return errno;
  if (const int error = spawn_session(op.argv, {in.read, to.write, bad.write}, op.cwd, op.env, pid_)) return error;
  std::swap(in_, in.write);
  std::swap(out_, to.read);
  std::swap(err_, bad.read);
  for (int fd : {in_, out_, err_})
    if (fd >= 0) fcntl(fd, F_SETFL, O_NONBLOCK);
  return 0;
}

Command::~Command() {
  Pipe::drop(in_);
  Pipe::drop(out_);
  Pipe::drop(err_);
  if (shell_) shell_->busy = false;
}

void Command::watch(std::vector<pollfd>& to) const {
  for (int fd : {shell_ ? shell_->out : out_, shell_ ? shell_->err : err_, shell_ ? shell_->control : -1})
    if (fd >= 0) to.push_back({fd, POLLIN, 0});
  if (in_ >= 0 && !input_.empty()) to.push_back({in_, POLLOUT, 0});
}

void Command::turn() {
  if (done_) return;
  if (in_ >= 0) write_input();
  if (shell_) {
    hear_shell();
  } else {
    out.drain(out_);
    err.drain(err_);
  }
  if (!done_ && shell_ && shell_->started && now_ms() >= interrupt_at_) {
    kill(-pid_, SIGINT);
    interrupt_at_ = never;
  }
  if (!done_ && now_ms() >= deadline_) past_deadline();
}

void Command::write_input() {
  while (!input_.empty()) {
    const ssize_t n = write(in_, input_.data(), input_.size());
    if (n > 0) input_.erase(0, size_t(n));
    else if (errno == EAGAIN) return;
    else if (errno != EINTR) return Pipe::drop(in_);
  }
  if (!keep_open_) Pipe::drop(in_);
}

void Command::feed(const std::string& bytes, bool close) {
  input_ += bytes;
  if (close) keep_open_ = false;
  if (in_ >= 0) write_input();
}

void Command::hear_shell() {
  char buffer[4 << 10];
  ssize_t n;
  while ((n = read(shell_->control, buffer, sizeof buffer)) > 0) shell_->told.append(buffer, size_t(n));
  if (n == 0) lost_ = true;   // it closed its own descriptor: nothing more can be heard
  out.drain(shell_->out);
  err.drain(shell_->err);
  for (size_t end; !done_ && (end = shell_->told.find('\0')) != std::string::npos;) {
    const std::string message = shell_->told.substr(0, end);
    shell_->told.erase(0, end + 1);
    hear_shell(message);
  }
  if (lost_ && !done_) signal(SIGKILL);
}

void Command::hear_shell(const std::string& message) {
  if (message == "go") {
    shell_->started = true;
    started_ms_ = now_ms();
    if (interrupt_at_ != never) interrupt_at_ = started_ms_ + settling_ms;
    return;
  }
  unsigned number = 0, status = 0;
  int cwd = 0;
  if (sscanf(message.c_str(), "%u %u %n", &number, &status, &cwd) != 2 || number != shell_->number) return;
  shell_->cwd = message.substr(size_t(cwd));
  if (!shell_->ready) {
    shell_->ready = true;
    out.kept.clear();
    err.kept.clear();   // its complaints about having no terminal
    shell_->send(line_);
  } else if (shell_->started) {
    status_ = int(status & 255) << 8;
    finish();
  }
}

void Command::finish() {
  // What it wrote is in the pipes by now; a daemon that still holds them is not waited for.
  out.drain(shell_ ? shell_->out : out_);
  err.drain(shell_ ? shell_->err : err_);
  done_ = true;
}

void Command::past_deadline() {
  timed_out_ = true;
  if (!shell_) {
    kill(-pid_, SIGKILL);
    deadline_ = now_ms() + 1000;
    return;
  }
  if (stage_ == 0) signal(SIGINT);
  if (stage_ == 1) kill_descendants(pid_);
  if (stage_ >= 2) {
    kill_descendants(pid_);
    kill(-pid_, SIGKILL);
  }
  stage_++;
  deadline_ = now_ms() + shell_grace_ms;
}

void Command::signal(int number) {
  if (shell_ && number == SIGKILL) {
    kill_descendants(pid_);
    stage_ = 3;
  }
  const int64_t now = now_ms();
  if (shell_ && number == SIGINT && (!shell_->started || now < started_ms_ + settling_ms))
    interrupt_at_ = std::max(now, started_ms_) + settling_ms;
  else kill(-pid_, number);
}

void Command::child_ended(pid_t pid, int status) {
  if (pid != pid_ || done_) return;
  status_ = status;
  finish();
  if (!shell_) return;
  lost_ = true;
  shell_->close_all();
}

Result Command::result() {
  Result r;
  if (!streamed_) {
    r.data = std::move(out.kept);
    r.err = std::move(err.kept);
  }
  r.truncated = out.truncated || err.truncated;
  r.stdout_log = out.log;
  r.stderr_log = err.log;
  r.timed_out = timed_out_;
  r.shell_lost = shell_ && lost_;
  if (shell_) r.cwd = shell_->cwd;
  if (WIFEXITED(status_)) r.exit_code = WEXITSTATUS(status_);
  else {
    r.exit_code = -1;
    const char* name = sigabbrev_np(WTERMSIG(status_));
    r.signal = std::string("SIG") + (name ? name : "RT");
  }
  return r;
}
