#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "guard.h"
#include "processes.h"

namespace {

constexpr uint32_t max_frame = 64u << 20;

int signal_number(const std::string& name) {
  for (int n = 1; n < 32; n++) {
    const char* known = sigabbrev_np(n);
    if (known && name == std::string("SIG") + known) return n;
  }
  return 0;
}

}  // namespace

int Server::serve(int child_fd) {
  Result hello;
  hello.names = achieved;
  send(encode_results({hello}, 0));
  while (!host_gone_) {
    std::vector<pollfd> fds{{STDIN_FILENO, POLLIN, 0}, {child_fd, POLLIN, 0}};
    int64_t wake = now_ms() + 1'000'000;
    for (Run& run : runs_)
      if (run.command) {
        run.command->watch(fds);
        wake = std::min(wake, run.command->wakes_at());
      }
    for (auto& [name, shell] : shells_)
      if (!shell.busy)
        for (int fd : {shell.out, shell.err})
          if (fd >= 0) fds.push_back({fd, POLLIN, 0});
    poll(fds.data(), fds.size(), int(std::max<int64_t>(0, wake - now_ms())));
    // Before the children: what one wrote before it ended must not wait for the next round.
    for (Run& run : runs_)
      if (run.command) {
        run.command->turn();
        send_output(run);
      }
    for (auto& [name, shell] : shells_)
      if (!shell.busy) shell.keep_late();
    if (fds[1].revents)
      reap_children([&](pid_t pid, int status) {
        for (Run& run : runs_)
          if (run.command) run.command->child_ended(pid, status);
        for (auto& [name, shell] : shells_)
          if (shell.pid == pid) shell.close_all();
      });
    if (fds[0].revents && !take_frame()) break;
    for (auto run = runs_.begin(); run != runs_.end() && !host_gone_;) {
      const bool waits = run->command && !run->command->done();
      run = waits || advance(*run) ? std::next(run) : runs_.erase(run);
    }
  }
  return status_;
}

bool Server::take_frame() {
  std::string frame;
  const Frame got = read_frame(STDIN_FILENO, frame, max_frame);
  if (got == Frame::broken) status_ = 65;
  if (got != Frame::ok) return false;
  Run& run = runs_.emplace_back();
  if (decode_run(frame, run.ops, run.id)) return true;
  status_ = 65;
  return false;
}

bool Server::advance(Run& run) {
  if (run.command) {
    send_output(run);
    run.results.push_back(run.command->result());
    run.command.reset();
  }
  while (run.next < run.ops.size() && (run.results.empty() || run.results.back().ok)) {
    const Op& op = run.ops[run.next++];
    if (!open_workspace()) {
      run.results.push_back(failure(errno, "workspace"));
      break;
    }
    if (op.kind == Op::Kind::exec) {
      used_ = true;
      Shell* shell = nullptr;
      if (!op.shell.empty()) shell = &shells_[op.shell];
      Result failed;
      run.command = Command::start(op, shell, scratch_path, failed);
      if (run.command) return true;
      run.results.push_back(failed);
    } else {
      run.results.push_back(perform(op));
    }
  }
  send(encode_results(run.results, run.id));
  return false;
}

void Server::send_output(Run& run) {
  if (!run.ops[run.next - 1].stream) return;
  Output &out = run.command->out, &err = run.command->err;
  if (out.sent == out.kept.size() && err.sent == err.kept.size()) return;
  send(encode_output(run.id, std::string_view(out.kept).substr(out.sent), std::string_view(err.kept).substr(err.sent)));
  out.sent = out.kept.size();
  err.sent = err.kept.size();
}

void Server::send(const std::string& frame) {
  if (!write_frame(STDOUT_FILENO, frame)) host_gone_ = true;
}

Result Server::perform(const Op& op) {
  switch (op.kind) {
    case Op::Kind::reset: return reset(op);
    case Op::Kind::write: return write_file(root_, op.files[0]);
    case Op::Kind::read: return read_file(root_, op.path);
    case Op::Kind::list: return list_dir(root_, op.path);
    case Op::Kind::remove: return remove_path(root_, op.path);
    case Op::Kind::kill: return signal(op);
    case Op::Kind::input: return feed(op);
    case Op::Kind::settle: return settle();
    default: return failure(ENOSYS, "unknown operation");
  }
}

bool Server::open_workspace() {
  if (root_ >= 0) return true;
  root_ = open(workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return root_ >= 0 && fchdir(root_) == 0;
}

bool Server::end_processes() {
  if (!kill_all()) return false;
  // Their ends were reaped there: what waits for one would wait for ever.
  for (Run& run : runs_)
    if (run.command) run.command->killed();
  for (auto& [name, shell] : shells_) {
    shell.close_all();
    for (std::string* text : {&shell.cwd, &shell.late_out, &shell.late_err}) text->clear();
  }
  return true;
}

Result Server::reset(const Op& op) {
  if (used_) {
    if (!end_processes()) return failure(EBUSY, "processes survived");
    for (int dir : scratch)
      if (const int error = empty_dir(dir)) return failure(error, "temporary files");
    if (own_ipc) remove_sysv_ipc();
    used_ = false;
  }
  if (const int error = empty_dir(root_)) return failure(error, "workspace");
  for (const File& f : op.files) {
    Result r = write_file(root_, f);
    if (!r.ok) return r;
  }
  return {};
}

Result Server::settle() {
  if (!end_processes()) return failure(EBUSY, "processes survived");
  close(root_);
  root_ = -1;
  return chdir("/") == 0 ? Result{} : failure(errno, "/");
}

Server::Run* Server::target(const Op& op) {
  for (Run& run : runs_) {
    const bool meant = op.tag.empty() ? run.id == op.run : run.next > 0 && run.ops[run.next - 1].tag == op.tag;
    if (meant && run.command && !run.command->done()) return &run;
  }
  return nullptr;
}

Result Server::signal(const Op& op) {
  const int number = signal_number(op.signal);
  if (number == 0) return failure(EINVAL, op.signal);
  Run* run = target(op);
  if (!run) return failure(ESRCH, "that command has ended");
  run->command->signal(number);
  if (number == SIGKILL) run->ops.resize(run->next);   // who kills it wants none of the rest
  return {};
}

Result Server::feed(const Op& op) {
  Run* run = target(op);
  if (!run) return failure(ESRCH, "that command has ended");
  run->command->feed(op.input, op.close);
  return {};
}
