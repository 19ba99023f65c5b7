#include "actors/collective.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/kernels.h"
#include "ring.h"
#include "shared_group.h"

namespace actors {

namespace {

/// Through the shared memory of one host.
class SharedCollective final : public Collective {
 public:
  SharedCollective(const SharedOptions& options, const Cancel& cancel);
  void reduceScatter(float* x, Index n, const Cancel& cancel) override;
  void allGather(float* x, Index n, const Cancel& cancel) override;
  void barrier(const Cancel& cancel) override;
  void abort(const std::string& reason) noexcept override;

 private:
  SharedGroup group_;
};

/// Visits what lies at [from, from + most) of a rank's shard: visit(place in the array, floats).
template <class Visit>
void piece(Index n, Index rank, Index world, Index from, Index most, Visit visit) {
  const Shard shard = shardOf(n, rank, world);
  const Index count = std::min(most, shard.size() - from);
  if (count > 0) visit(shard.first + from, count);
}

std::size_t bytesOf(Index floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

/// Floats of the largest shard.
Index longest(Index n, Index world) { return (n + world - 1) / world; }

}  // namespace

SharedCollective::SharedCollective(const SharedOptions& options, const Cancel& cancel)
    : Collective(options.rank, options.world), group_(options, cancel) {}

void SharedCollective::barrier(const Cancel& cancel) { group_.barrier(cancel); }
void SharedCollective::abort(const std::string& reason) noexcept { group_.fail(ErrorCode::Aborted, reason); }

std::unique_ptr<Collective> joinShared(const SharedOptions& options, const Cancel& cancel) {
  return std::make_unique<SharedCollective>(options, cancel);
}

std::unique_ptr<Collective> joinRing(const RingOptions& options, const Cancel& cancel) {
  return std::make_unique<Ring>(options, cancel);
}

// Each round brings a piece of every shard: copy in what others answer for, barrier, sum one's own. Two buffers
// alternate, so one barrier a round is enough: whoever passes it has read the round before.
void SharedCollective::reduceScatter(float* x, Index n, const Cancel& cancel) {
  const Index world = group_.world(), rank = group_.rank(), most = SharedGroup::chunkFloats / world;
  const cpu::Kernels& kernels = cpu::kernels();
  group_.announce(n, cancel);
  std::vector<const float*> sources(static_cast<std::size_t>(world));
  for (Index from = 0; from < longest(n, world); from += most) {
    group_.turn();
    for (Index owner = 0; owner < world; owner++) {
      if (owner == rank) continue;
      piece(n, owner, world, from, most, [&](Index at, Index count) {
        std::memcpy(group_.buffer(rank) + owner * most, x + at, bytesOf(count));
      });
    }
    group_.barrier(cancel);
    piece(n, rank, world, from, most, [&](Index at, Index count) {
      for (Index r = 0; r < world; r++)
        sources[static_cast<std::size_t>(r)] = r == rank ? x + at : group_.buffer(r) + rank * most;
      kernels.sumRanks(sources.data(), world, x + at, count);
    });
  }
}

void SharedCollective::allGather(float* x, Index n, const Cancel& cancel) {
  const Index world = group_.world(), rank = group_.rank(), most = SharedGroup::chunkFloats;
  group_.announce(n, cancel);
  for (Index from = 0; from < longest(n, world); from += most) {
    group_.turn();
    piece(n, rank, world, from, most,
          [&](Index at, Index count) { std::memcpy(group_.buffer(rank), x + at, bytesOf(count)); });
    group_.barrier(cancel);
    for (Index owner = 0; owner < world; owner++) {
      if (owner == rank) continue;
      piece(n, owner, world, from, most,
            [&](Index at, Index count) { std::memcpy(x + at, group_.buffer(owner), bytesOf(count)); });
    }
  }
}

}  // namespace actors
