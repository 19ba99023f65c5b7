#include "shared_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "wait.h"

namespace actors {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Index maxWorld = 1024;
constexpr int spins = 1000;                     ///< some 20 us: the usual lag between ranks on idle cores
constexpr std::chrono::milliseconds slice{10};  ///< how often a sleeper looks for dead peers and cancellation

std::string milliseconds(double value) { return std::to_string(static_cast<long long>(value)) + " ms"; }

}  // namespace

SharedGroup::SharedGroup(const SharedOptions& o, const Cancel& cancel)
    : path_(o.path), rank_(o.rank), world_(o.world), timeoutMs_(o.timeoutMs) {
  require(world_ >= 1 && world_ <= maxWorld,
          "collective: world must be between 1 and " + std::to_string(maxWorld) + ", got " + std::to_string(world_));
  require(rank_ >= 0 && rank_ < world_,
          "collective: rank " + std::to_string(rank_) + " is outside a world of " + std::to_string(world_));
  require(timeoutMs_ > 0, "collective: timeoutMs must be positive");
  try {
    map();
    claimSlot();
    // The first barrier: everyone has joined, so the name has served its purpose.
    slots_[rank_].arrived.store(1, std::memory_order_release);
    wakeAll(slots_[rank_].arrived);
    for (Index peer = 0; peer < world_; peer++) waitFor(peer, 1, "join", cancel);
    if (rank_ == 0) unlinkOwn();
  } catch (...) {
    if (header_ != nullptr) unlinkOwn();
    unmap();
    throw;
  }
}

SharedGroup::~SharedGroup() {
  slots_[rank_].presence.store(static_cast<std::uint32_t>(Presence::Left), std::memory_order_release);
  wakeAll(slots_[rank_].arrived);
  unmap();
}

void SharedGroup::map() {
  const std::size_t control = (sizeof(Header) + sizeof(Slot) * static_cast<std::size_t>(world_) + 4095) / 4096 * 4096;
  bytes_ = control + static_cast<std::size_t>(world_ * 2 * chunkFloats) * sizeof(float);
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0) throwErrno("create the collective's file", path_);
  // Reserve the pages now: touching a hole on a full tmpfs would kill the process with SIGBUS.
  if (!reserveFile(descriptor_, bytes_))
    throwErrno("reserve " + std::to_string(bytes_ >> 20) + " MiB for the collective's file", path_);
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    throwErrno("map", path_);
  }
  // A new file is all zeros, which is a valid empty header: no rank needs to initialise it first.
  header_ = static_cast<Header*>(memory_);
  slots_ = reinterpret_cast<Slot*>(header_ + 1);
  data_ = reinterpret_cast<float*>(static_cast<char*>(memory_) + control);
}

void SharedGroup::claimSlot() {
  std::uint32_t expected = 0;
  if (!header_->world.compare_exchange_strong(expected, static_cast<std::uint32_t>(world_)) &&
      expected != static_cast<std::uint32_t>(world_)) {
    header_ = nullptr;  // another group's file: leave it alone
    throw Error(ErrorCode::InvalidArgument, "collective: " + path_ + " belongs to a group of " +
                                                std::to_string(expected) + " ranks, this rank expects " +
                                                std::to_string(world_));
  }
  Slot& own = slots_[rank_];
  expected = static_cast<std::uint32_t>(Presence::Absent);
  if (!lockByte(descriptor_, rank_) ||
      !own.presence.compare_exchange_strong(expected, static_cast<std::uint32_t>(Presence::Joined))) {
    header_ = nullptr;
    throw Error(ErrorCode::InvalidArgument, "collective: rank " + std::to_string(rank_) + " of " + path_ +
                                                " is already taken; give every group a path of its own");
  }
  own.process.store(static_cast<std::uint32_t>(getpid()), std::memory_order_release);
}

void SharedGroup::barrier(const Cancel& cancel) {
  Slot& own = slots_[rank_];
  const std::uint32_t target = own.arrived.fetch_add(1, std::memory_order_acq_rel) + 1;
  wakeAll(own.arrived);
  for (Index peer = 0; peer < world_; peer++) waitFor(peer, target, "reach the barrier", cancel);
}

void SharedGroup::announce(Index floats, const Cancel& cancel) {
  slots_[rank_].floats.store(static_cast<std::uint64_t>(floats), std::memory_order_release);
  barrier(cancel);
  for (Index peer = 0; peer < world_; peer++) {
    const std::uint64_t theirs = slots_[peer].floats.load(std::memory_order_acquire);
    if (theirs == static_cast<std::uint64_t>(floats)) continue;
    const std::string reason = "rank " + std::to_string(rank_) + " brought " + std::to_string(floats) +
                               " floats, rank " + std::to_string(peer) + " " + std::to_string(theirs);
    fail(ErrorCode::InvalidArgument, reason);
    throwIfFailed();
  }
  // No rank may announce its next array before all have read this one.
  barrier(cancel);
}

void SharedGroup::waitFor(Index peer, std::uint32_t target, const char* action, const Cancel& cancel) {
  const Slot& slot = slots_[peer];
  const auto reached = [&] {
    return static_cast<std::int32_t>(slot.arrived.load(std::memory_order_acquire) - target) >= 0;
  };
  for (int i = 0; i < spins; i++) {
    if (reached()) return throwIfFailed();
    pauseProcessor();
  }
  const auto deadline = Clock::now() + std::chrono::duration<double, std::milli>(timeoutMs_);
  for (;;) {
    throwIfFailed();
    const std::uint32_t seen = slot.arrived.load(std::memory_order_acquire);
    if (reached()) return;
    const bool left = slot.presence.load(std::memory_order_acquire) == static_cast<std::uint32_t>(Presence::Left);
    if (left || !alive(peer)) {
      if (reached()) return;  // it arrived, then left
      const std::string reason = describe(peer) + (left ? " left the group" : " died");
      fail(ErrorCode::Timeout, reason);
      throwIfFailed();
    }
    if (cancel.requested()) {
      fail(ErrorCode::Aborted, "rank " + std::to_string(rank_) + " was cancelled");
      cancel.check();
    }
    if (Clock::now() >= deadline) {
      const std::string reason = describe(peer) + " did not " + action + " within " + milliseconds(timeoutMs_);
      fail(ErrorCode::Timeout, reason);
      throwIfFailed();
    }
    sleepWhile(slot.arrived, seen, slice);
  }
}

bool SharedGroup::alive(Index peer) const {
  const Slot& slot = slots_[peer];
  if (peer == rank_ || slot.presence.load(std::memory_order_acquire) == static_cast<std::uint32_t>(Presence::Absent))
    return true;
  const auto process = static_cast<pid_t>(slot.process.load(std::memory_order_acquire));
  return process == 0 || byteLocked(descriptor_, peer, process);
}

std::string SharedGroup::describe(Index peer) const {
  const std::uint32_t process = slots_[peer].process.load(std::memory_order_acquire);
  return "rank " + std::to_string(peer) + (process == 0 ? std::string() : " (process " + std::to_string(process) + ")");
}

void SharedGroup::fail(ErrorCode code, const std::string& reason) noexcept {
  std::uint32_t expected = 0;
  if (header_->failure.compare_exchange_strong(expected, 1)) {
    const std::size_t length = std::min(reason.size(), sizeof(Header::reason) - 1);
    std::memcpy(header_->reason, reason.data(), length);
    header_->reason[length] = '\0';
    header_->code.store(static_cast<std::uint32_t>(code), std::memory_order_relaxed);
    header_->failure.store(2, std::memory_order_release);
  }
  for (Index peer = 0; peer < world_; peer++) wakeAll(slots_[peer].arrived);
}

void SharedGroup::throwIfFailed() const {
  const std::uint32_t state = header_->failure.load(std::memory_order_acquire);
  if (state == 0) return;
  if (state == 1) throw Error(ErrorCode::Aborted, "collective: another rank failed");
  throw Error(static_cast<ErrorCode>(header_->code.load(std::memory_order_relaxed)),
              std::string("collective: ") + header_->reason + "; start the group again with a new path");
}

void SharedGroup::unlinkOwn() noexcept {
  struct stat named, opened;
  if (stat(path_.c_str(), &named) == 0 && fstat(descriptor_, &opened) == 0 && named.st_ino == opened.st_ino)
    unlink(path_.c_str());
}

void SharedGroup::unmap() noexcept {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace actors
