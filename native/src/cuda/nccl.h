#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels.h"
#include "libraries.h"

namespace actors::cuda {

/// Sums over the ranks of several GPUs by NCCL, on device memory in the order of one stream. Ranks must make the same
/// calls with the same lengths in the same order. NCCL fixes the order of additions by topology, not by rank: all ranks
/// get the same bits, other machines may get others.
class NcclGroup {
 public:
  /// What one rank makes and hands to all others.
  static std::string uniqueId();

  /// Blocks until every rank is here.
  NcclGroup(const std::string& id, Index rank, Index world, Stream stream);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  Index rank() const { return rank_; }
  Index world() const { return world_; }

  /// x[i] becomes the sum over ranks.
  void allReduce(float* x, Index n);
  /// This rank's part of x, [n * rank / world, n * (rank + 1) / world), becomes its sum over ranks; what the rest of x
  /// holds afterwards is not defined.
  void reduceScatter(float* x, Index n);
  /// Every part of x becomes what it is on the rank whose part it is.
  void allGather(float* x, Index n);
  /// Makes pending and later calls of this rank fail, from any thread; the other ranks' calls fail when NCCL notices.
  void abort() noexcept;

 private:
  struct Table;
  static const Table& table();
  Index bound(Index n, Index rank) const { return n * rank / world_; }
  template <class Body>
  void forEachPart(Index n, Body body);
  void check(int status, const char* call) const;

  const Table& table_;
  Index rank_, world_;
  Stream stream_;
  void* communicator_ = nullptr;
};

}  // namespace actors::cuda
