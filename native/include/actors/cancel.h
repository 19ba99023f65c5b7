#pragma once

#include <atomic>
#include <cstdint>

#include "actors/error.h"

namespace actors {

/// A cancellation request that long operations poll between pieces of work (a layer, a decode step, a wait slice).
/// Two sources: the caller's flag for this one call, and the owner's flag raised when it closes.
class Cancel {
 public:
  Cancel() = default;
  Cancel(const std::int32_t* flag, const std::atomic<bool>* closing) : flag_(flag), closing_(closing) {}

  bool requested() const noexcept { return flagRaised() || ownerClosing(); }

  void check() const {
    if (ownerClosing()) throw Error(ErrorCode::Closed, "the object was closed while this call was running");
    if (flagRaised()) throw Error(ErrorCode::Aborted, "the call was aborted by its signal");
  }

 private:
  // The flag lives in memory JavaScript writes, hence the builtin instead of std::atomic.
  bool flagRaised() const noexcept { return flag_ != nullptr && __atomic_load_n(flag_, __ATOMIC_RELAXED) != 0; }
  bool ownerClosing() const noexcept { return closing_ != nullptr && closing_->load(std::memory_order_relaxed); }

  const std::int32_t* flag_ = nullptr;
  const std::atomic<bool>* closing_ = nullptr;
};

}  // namespace actors
