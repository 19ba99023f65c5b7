#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "actors/cancel.h"
#include "actors/model.h"

namespace actors {

class SharedGroup;

/// The part [first, last) of an array of n floats that a rank answers for.
struct Shard {
  Index first = 0, last = 0;
  Index size() const { return last - first; }
};
inline Shard shardOf(Index n, Index rank, Index world) { return {n * rank / world, n * (rank + 1) / world}; }

/// Ranks of one host summing arrays through a shared file (put it in /dev/shm).
///
/// Each group of ranks needs a path of its own: the file is unlinked as soon as all have joined, so nothing is left
/// whatever dies later. A rank that dies, does not arrive in time, aborts or leaves fails the whole group: every other
/// rank's call throws an error that names it, and the group cannot be used again.
class Collective {
 public:
  struct Options {
    std::string path;
    Index rank = 0;
    Index world = 1;
    double timeoutMs = 30000;
  };

  /// Blocks until every rank has joined.
  static std::unique_ptr<Collective> join(const Options& options, const Cancel& cancel = {});
  ~Collective();

  Index rank() const;
  Index world() const;

  /// This rank's shard of x becomes its sum over ranks, added in rank order; the rest of x is as it was.
  void reduceScatter(float* x, Index n, const Cancel& cancel = {});
  /// Every shard of x becomes what it is on the rank that answers for it.
  void allGather(float* x, Index n, const Cancel& cancel = {});
  /// x[i] becomes the sum over ranks, added in rank order: the same bits on every rank and in every run.
  void allReduce(float* x, Index n, const Cancel& cancel = {});
  void barrier(const Cancel& cancel = {});

  /// Fails the group with this reason, from any thread; waiting ranks wake at once.
  void abort(const std::string& reason) noexcept;

 private:
  explicit Collective(std::unique_ptr<SharedGroup> group);
  std::unique_ptr<SharedGroup> group_;
};

}  // namespace actors
