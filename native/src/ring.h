#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "actors/collective.h"
#include "actors/error.h"
#include "socket.h"

namespace actors {

/// Ranks in a ring of TCP connections: data goes to the next rank, news of a failure both ways. A shard is summed on its
/// way around the ring, each in an order of its own that is the same in every run.
class Ring final : public Collective {
 public:
  Ring(const RingOptions& options, const Cancel& cancel);
  ~Ring() override;

  void reduceScatter(float* x, Index n, const Cancel& cancel) override;
  void allGather(float* x, Index n, const Cancel& cancel) override;
  void barrier(const Cancel& cancel) override;
  void abort(const std::string& reason) noexcept override;

 private:
  struct Outgoing;
  struct Incoming;

  void meet(const RingOptions& options, const Cancel& cancel);
  /// Sends to the next rank while it receives from the previous one, for both may be waiting for room. `n` is the length
  /// of the array that these are parts of: ranks must agree on it.
  void exchange(Index n, const float* out, Index outCount, float* in, Index inCount, const Cancel& cancel);
  void wait(const Outgoing& outgoing, const Incoming& incoming, const Cancel& cancel, double deadline);
  void take(Incoming& incoming);
  /// The next rank says nothing but that it failed or leaves; false when it is gone without a word.
  bool hear();
  /// A neighbour is gone. If another rank failed first, the news is on its way around the ring.
  void lost(Index peer);

  Index nextRank() const { return (rank() + 1) % world(); }
  Index previousRank() const { return (rank() + world() - 1) % world(); }
  void fail(ErrorCode code, const std::string& reason) noexcept;
  void throwIfFailed();

  double timeoutMs_;
  Socket next_, previous_;
  WakeUp wake_;
  std::uint64_t calls_ = 0;  ///< exchanges so far, to notice ranks that do different things
  bool nextLeft_ = false;
  std::vector<float> arriving_;
  std::mutex mutex_;  ///< guards what follows
  bool failed_ = false;
  ErrorCode code_ = ErrorCode::Aborted;
  std::string reason_;
};

}  // namespace actors
