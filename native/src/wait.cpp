#include "wait.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

namespace actors {

#if defined(__linux__)

void sleepWhile(const std::atomic<std::uint32_t>& word, std::uint32_t seen, std::chrono::milliseconds limit) noexcept {
  const timespec timeout = {static_cast<time_t>(limit.count() / 1000),
                            static_cast<long>(limit.count() % 1000) * 1000000L};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

void wakeAll(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool reserveFile(int descriptor, std::size_t bytes) noexcept {
  const int code = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  errno = code;
  return code == 0;
}

#else

void sleepWhile(const std::atomic<std::uint32_t>& word, std::uint32_t seen, std::chrono::milliseconds limit) noexcept {
  // No portable futex across processes: short naps until the word moves.
  const timespec nap = {0, 100000};
  for (auto left = limit.count() * 10; left > 0 && word.load(std::memory_order_acquire) == seen; left--)
    nanosleep(&nap, nullptr);
}

void wakeAll(std::atomic<std::uint32_t>&) noexcept {}

bool reserveFile(int descriptor, std::size_t bytes) noexcept {
  return ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
}

#endif

void pauseProcessor() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

#if defined(F_OFD_SETLK)

namespace {
struct flock byteLock(std::ptrdiff_t byte) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(byte);
  lock.l_len = 1;
  return lock;
}
}  // namespace

bool lockByte(int descriptor, std::ptrdiff_t byte) noexcept {
  struct flock lock = byteLock(byte);
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

bool byteLocked(int descriptor, std::ptrdiff_t byte, pid_t) noexcept {
  struct flock lock = byteLock(byte);
  return fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

#else

bool lockByte(int, std::ptrdiff_t) noexcept { return true; }
bool byteLocked(int, std::ptrdiff_t, pid_t process) noexcept { return kill(process, 0) == 0 || errno != ESRCH; }

#endif

}  // namespace actors
