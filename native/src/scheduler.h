#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kv_cache.h"
#include "model_runner.h"
#include "sequence.h"

namespace actors {

/// What one step does: the rows of the forward pass, and whose they are.
struct Step : StepRows {
  std::vector<Sequence*> sampled;                ///< owners of logitRows
  std::vector<std::pair<Sequence*, Index>> fed;  ///< how many rows each sequence brings
};

/// One row for every sequence, then prompt rows up to maxRows in all, oldest sequence first.
Step schedule(const std::vector<std::unique_ptr<Sequence>>& running, KvCache& cache, Index maxRows);

}  // namespace actors
