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
  Index reused = 0;                              ///< tokens whose keys and values were taken over, not computed
};

/// One row for every sequence, then prompt rows up to maxRows in all, oldest sequence first. A sequence that begins
/// like an older one whose prompt is being computed waits for that. `version`: of the weights of this step.
Step schedule(const std::vector<std::unique_ptr<Sequence>>& running, KvCache& cache, std::int32_t version,
              Index maxRows);

}  // namespace actors
