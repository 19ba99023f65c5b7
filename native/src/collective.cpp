#include "actors/collective.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/kernels.h"
#include "shared_group.h"

namespace actors {

Collective::Collective(std::unique_ptr<SharedGroup> group) : group_(std::move(group)) {}
Collective::~Collective() = default;

std::unique_ptr<Collective> Collective::join(const Options& options, const Cancel& cancel) {
  return std::unique_ptr<Collective>(new Collective(std::make_unique<SharedGroup>(options, cancel)));
}

Index Collective::rank() const { return group_->rank(); }
Index Collective::world() const { return group_->world(); }
void Collective::barrier(const Cancel& cancel) { group_->barrier(cancel); }
void Collective::abort(const std::string& reason) noexcept { group_->fail(ErrorCode::Aborted, reason); }

// Each chunk: copy in, barrier, every rank sums its segment over all ranks, barrier, copy out. Two sets of buffers
// alternate, so two barriers a chunk are enough.
void Collective::allReduce(float* x, Index n, const Cancel& cancel) {
  const Index world = group_->world(), rank = group_->rank(), chunk = SharedGroup::chunkFloats;
  const cpu::Kernels& kernels = cpu::kernels();
  group_->announce(n, cancel);
  std::vector<const float*> sources(static_cast<std::size_t>(world));
  for (Index start = 0, parity = 0; start < n; start += chunk, parity ^= 1) {
    const Index count = std::min(chunk, n - start);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    std::memcpy(group_->input(rank, parity), x + start, bytes);
    group_->barrier(cancel);
    const Index first = count * rank / world, last = count * (rank + 1) / world;
    for (Index r = 0; r < world; r++) sources[static_cast<std::size_t>(r)] = group_->input(r, parity) + first;
    kernels.sumRanks(sources.data(), world, group_->result(parity) + first, last - first);
    group_->barrier(cancel);
    std::memcpy(x + start, group_->result(parity), bytes);
  }
}

}  // namespace actors
