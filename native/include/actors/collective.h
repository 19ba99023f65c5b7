#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/cancel.h"
#include "actors/model.h"

namespace actors {

/// The part [first, last) of an array of n floats that a rank answers for.
struct Shard {
  Index first = 0, last = 0;
  Index size() const { return last - first; }
};
inline Shard shardOf(Index n, Index rank, Index world) { return {n * rank / world, n * (rank + 1) / world}; }

/// Ranks that sum arrays together. A rank that dies, does not arrive in time, aborts or leaves fails the whole group:
/// every other rank's call throws an error that names it, and the group cannot be used again.
class Collective {
 public:
  virtual ~Collective() = default;

  Index rank() const { return rank_; }
  Index world() const { return world_; }

  /// This rank's shard of x becomes its sum over ranks, in an order that the number of ranks and the kind of collective
  /// decide; the rest of x is as it was.
  virtual void reduceScatter(float* x, Index n, const Cancel& cancel = {}) = 0;
  /// Every shard of x becomes what it is on the rank that answers for it.
  virtual void allGather(float* x, Index n, const Cancel& cancel = {}) = 0;
  virtual void barrier(const Cancel& cancel = {}) = 0;
  /// x[i] becomes the sum over ranks: the same bits on every rank and in every run.
  void allReduce(float* x, Index n, const Cancel& cancel = {}) {
    reduceScatter(x, n, cancel);
    allGather(x, n, cancel);
  }

  /// Fails the group with this reason, from any thread; waiting ranks wake at once.
  virtual void abort(const std::string& reason) noexcept = 0;

 protected:
  Collective(Index rank, Index world) : rank_(rank), world_(world) {}

 private:
  Index rank_, world_;
};

struct SharedOptions {
  std::string path;
  Index rank = 0;
  Index world = 1;
  double timeoutMs = 30000;
};
/// Ranks of one host meet in a shared file (put it in /dev/shm) and add in rank order. Each group needs a path of its
/// own: the file is unlinked as soon as all have joined, so nothing is left whatever dies later. Blocks until they have.
std::unique_ptr<Collective> joinShared(const SharedOptions& options, const Cancel& cancel = {});

struct Address {
  std::string host;
  int port = 0;
};
/// A port where a rank waits for the one before it.
struct Listener {
  int descriptor = -1, port = 0;
};
Listener listenOn(const std::string& host);
void stopListening(int descriptor) noexcept;

struct RingOptions {
  int listener = -1;  ///< taken over, whatever happens
  std::vector<Address> peers;  ///< where each rank listens
  Index rank = 0;
  double timeoutMs = 30000;
  std::string secret;  ///< the group's own; each connection proves that both sides know it, and it never travels
};
/// Ranks of several hosts in a ring of TCP connections. What travels is not encrypted. A host that vanishes is noticed
/// within 10 s, a process that dies at once.
std::unique_ptr<Collective> joinRing(const RingOptions& options, const Cancel& cancel = {});

}  // namespace actors
