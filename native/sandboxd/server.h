// The loop of a sandbox: runs that arrive on stdin go on beside each other, each does its operations in order.
#pragma once
#include <list>
#include <map>
#include <memory>

#include "command.h"
#include "files.h"

class Server {
 public:
  std::string workspace;
  std::vector<int> scratch;
  std::string scratch_path;   // of the first: logs go there
  std::vector<std::string> achieved;
  bool own_ipc = false;

  // Opens the workspace and makes it the current folder. False with errno.
  bool open_workspace();
  // Until the host hangs up: 0 then, else the exit status for a broken stream.
  int serve(int child_fd);

 private:
  struct Run {
    uint32_t id;
    std::vector<Op> ops;
    size_t next = 0;
    std::vector<Result> results;
    std::unique_ptr<Command> command;
  };

  bool take_frame();          // false when there are no more
  bool advance(Run& run);     // until it waits for a command; false when done, with its results sent
  Result perform(const Op& op);
  bool end_processes();
  Result reset(const Op& op);
  Result settle();
  Result signal(const Op& op);
  Result feed(const Op& op);
  Run* target(const Op& op);  // the run whose command a kill or an input is for
  void send_output(Run& run);
  void send(const std::string& frame);

  int root_ = -1;
  std::list<Run> runs_;
  std::map<std::string, Shell> shells_;
  bool used_ = true;          // a command ran since the last reset: there may be processes, temporary files, shared memory
  bool host_gone_ = false;
  int status_ = 0;
};
