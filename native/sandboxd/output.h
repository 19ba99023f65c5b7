// One stream of a command. At most `max` bytes are kept for the answer; once there is more, all of it goes on into a
// file in the sandbox, up to max_log. A flood so neither fills memory nor blocks its writer for ever.
#pragma once
#include <string>

constexpr size_t max_log = 8u << 20;   // bytes of the file; what comes after is dropped

struct Pipe {
  int read = -1, write = -1;
  bool open();
  static void drop(int& fd);
  ~Pipe();
};

class Output {
 public:
  std::string kept, log;   // log: the file's path, empty while none is needed
  bool truncated = false;
  size_t sent = 0;         // of `kept`, to a host that wants it as it comes

  // `log_stem` + a number + `suffix` names the file.
  Output(size_t max, const std::string& log_stem, const char* suffix) : max_(max), stem_(log_stem), suffix_(suffix) {}
  Output(const Output&) = delete;
  ~Output() { Pipe::drop(log_fd_); }

  // Takes what is there. Closes `fd` at its end.
  void drain(int& fd);

 private:
  void spill(const char* bytes, size_t n);
  size_t max_, logged_ = 0;
  std::string stem_;
  const char* suffix_;
  int log_fd_ = -1;
};
