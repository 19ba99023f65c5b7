#pragma once

#include <cstdint>
#include <vector>

#include "actors/backend.h"
#include "actors/safetensors.h"

namespace actors {

/// One version of the weights in the layout decoding reads: matrices packed once, so a step only streams them.
class EngineWeights {
 public:
  struct Layer {
    const float *attentionNorm, *mlpNorm;
    Linear qkv, output, gateUp, down;
  };

  EngineWeights(Backend& backend, const ModelConfig& config);

  /// Reads and packs a published file; on an error this object must not be used.
  void load(const SafetensorsFile& file, const ParameterLayout& layout, std::int32_t version);

  std::int32_t version() const { return version_; }
  const float* embedding() const { return embedding_; }
  const float* finalNorm() const { return finalNorm_; }
  const Linear& head() const { return head_; }
  const std::vector<Layer>& layers() const { return layers_; }

 private:
  Backend& backend_;
  ModelConfig config_;
  Buffer memory_;
  std::int32_t version_ = -1;
  float *embedding_ = nullptr, *finalNorm_ = nullptr;
  Linear head_;
  std::vector<Layer> layers_;
};

}  // namespace actors
