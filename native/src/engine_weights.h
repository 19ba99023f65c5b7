#pragma once

#include <cstdint>
#include <vector>

#include "actors/backend.h"
#include "actors/experts.h"
#include "actors/safetensors.h"

namespace actors {

/// One layer's weights; members that the model lacks are null or empty.
struct EngineLayer {
  const float *attentionNorm = nullptr, *qkvBias = nullptr, *queryNorm = nullptr, *keyNorm = nullptr,
              *mlpNorm = nullptr;
  Linear qkv, output, gateUp, down;
  ExpertWeights experts;
};

/// One version of the weights in the layout decoding reads: matrices packed once, so a step only streams them.
class EngineWeights {
 public:
  EngineWeights(Backend& backend, const ModelConfig& config);

  /// Reads and packs a published file; on an error this object must not be used.
  void load(const SafetensorsFile& file, const ParameterLayout& layout, std::int32_t version);

  std::int32_t version() const { return version_; }
  const float* embedding() const { return embedding_; }
  const float* finalNorm() const { return finalNorm_; }
  const Linear& head() const { return head_; }
  const std::vector<EngineLayer>& layers() const { return layers_; }

 private:
  template <class Visit>
  void forEachPart(Visit visit);

  Backend& backend_;
  ModelConfig config_;
  Buffer memory_, staging_;
  std::int32_t version_ = -1;
  const float *embedding_ = nullptr, *finalNorm_ = nullptr;
  Linear head_;
  std::vector<EngineLayer> layers_;
};

}  // namespace actors
