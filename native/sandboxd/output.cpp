#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

namespace {

constexpr size_t logs_kept = 16;
std::deque<std::string> logs;
unsigned next_log = 0;

}  // namespace

bool Pipe::open() {
  int p[2];
  if (pipe2(p, O_CLOEXEC) != 0) return false;
  read = p[0];
  write = p[1];
  return true;
}

void Pipe::drop(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

Pipe::~Pipe() {
  drop(read);
  drop(write);
}

void Output::drain(int& fd) {
  static char buffer[64 << 10];
  for (int round = 0; round < 16 && fd >= 0; round++) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return Pipe::drop(fd);
    const size_t room = std::min(size_t(n), max_ - std::min(max_, kept.size()));
    kept.append(buffer, room);
    if (room < size_t(n)) spill(buffer + room, size_t(n) - room);
  }
}

void Output::spill(const char* bytes, size_t n) {
  if (!truncated) {
    truncated = true;
    for (int attempt = 0; attempt < 64 && log_fd_ < 0; attempt++) {   // a name may be taken: the folder is the agent's too
      log = stem_ + std::to_string(++next_log) + suffix_;
      log_fd_ = open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    }
    if (log_fd_ < 0) return log.clear();
    logs.push_back(log);
    if (logs.size() > logs_kept) {
      unlink(logs.front().c_str());
      logs.pop_front();
    }
    spill(kept.data(), kept.size());
  }
  while (n > 0 && log_fd_ >= 0) {
    const ssize_t put = write(log_fd_, bytes, std::min(n, max_log - logged_));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return Pipe::drop(log_fd_);   // full: the disk, or max_log
    bytes += put;
    n -= size_t(put);
    logged_ += size_t(put);
  }
}
