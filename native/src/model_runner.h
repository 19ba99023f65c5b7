#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/backend.h"
#include "actors/cancel.h"
#include "actors/experts.h"
#include "engine_weights.h"

namespace actors {

/// Rows of one pass through the model, each a token at a position of a sequence, and which of them need logits.
struct StepRows {
  std::vector<std::int32_t> tokens, positions;
  std::vector<CachedRow> rows;
  std::vector<std::int32_t> logitRows;
};

/// The forward pass of generation: row-independent arithmetic over cached keys and values.
class ModelRunner {
 public:
  /// At most maxRows rows a pass, and logits of maxLogits of them.
  ModelRunner(const ModelConfig& config, int threads, Index maxRows, Index maxLogits);

  Backend& backend() { return *backend_; }
  /// Floats of one page of the cache, all layers together.
  Index pageFloats() const { return config_.layers * layerFloats(); }

  /// Returns logits [logitRows, vocabSize], valid until the next call.
  float* forward(const EngineWeights& weights, const StepRows& step, const Cancel& cancel);

 private:
  Index layerFloats() const { return 2 * config_.kvDim() * backend_->pageTokens(); }
  void mlpForward(const EngineLayer& layer, const float* x, Index rows, float* scratch, float* out);

  ModelConfig config_;
  AttentionShape shape_;
  RopeTable rope_;
  std::unique_ptr<Backend> backend_;
  ExpertMlp expertMlp_;
  ExpertMlp::Saved routed_;
  Index maxRows_, maxLogits_;
  Buffer workspace_, logits_;
};

}  // namespace actors
