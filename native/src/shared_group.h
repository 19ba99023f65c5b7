#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "actors/collective.h"

namespace actors {

/// Shared memory of one collective: barriers, buffers, and noticing that a peer is gone.
class SharedGroup {
 public:
  /// Floats of one buffer: large enough to hide a barrier, small enough to stay in the cache.
  static constexpr Index chunkFloats = 1 << 18;

  SharedGroup(const SharedOptions& options, const Cancel& cancel);
  SharedGroup(const SharedGroup&) = delete;
  SharedGroup& operator=(const SharedGroup&) = delete;
  ~SharedGroup();

  Index rank() const { return rank_; }
  Index world() const { return world_; }
  /// The other one of each rank's two buffers.
  void turn() { turn_ ^= 1; }
  float* buffer(Index rank) { return data_ + (rank * 2 + turn_) * chunkFloats; }

  void barrier(const Cancel& cancel);
  /// A barrier at which every rank says how many floats it brings; a mismatch fails the group instead of mixing data.
  void announce(Index floats, const Cancel& cancel);
  /// Records why the group failed (the first reason wins) and wakes everyone.
  void fail(ErrorCode code, const std::string& reason) noexcept;

 private:
  enum class Presence : std::uint32_t { Absent, Joined, Left };

  struct alignas(64) Slot {
    std::atomic<std::uint32_t> presence;
    std::atomic<std::uint32_t> arrived;  ///< barriers reached; peers sleep on this word
    std::atomic<std::uint32_t> process;
    std::atomic<std::uint64_t> floats;
  };
  struct alignas(64) Header {
    std::atomic<std::uint32_t> world;
    std::atomic<std::uint32_t> failure;  ///< 0 none, 1 being written, 2 the reason is readable
    std::atomic<std::uint32_t> code;
    char reason[492];
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

  void map();
  void claimSlot();
  void waitFor(Index peer, std::uint32_t target, const char* action, const Cancel& cancel);
  void throwIfFailed() const;
  bool alive(Index peer) const;
  std::string describe(Index peer) const;
  void unlinkOwn() noexcept;
  void unmap() noexcept;

  std::string path_;
  Index rank_, world_;
  double timeoutMs_;
  int descriptor_ = -1;
  std::size_t bytes_ = 0;
  void* memory_ = nullptr;
  Header* header_ = nullptr;
  Slot* slots_ = nullptr;
  float* data_ = nullptr;
  Index turn_ = 0;
};

}  // namespace actors
