#pragma once

#include <cstdint>
#include <vector>

#include "actors/backend.h"
#include "actors/cancel.h"

namespace actors {

/// Forward and backward passes of the decoder's trunk (everything but the output head) over packed sequences.
/// Keeps what the backward pass needs; normalised inputs and SwiGLU outputs are recomputed, being cheap.
class Transformer {
 public:
  Transformer(Backend& backend, const ModelConfig& config, const ModelOffsets& offsets);

  /// Returns the last layer's output [tokens, dim], valid until the next call.
  const float* forward(const float* weights, const std::int32_t* tokens, const Sequences& sequences,
                       const Cancel& cancel);

  const float* output() const { return output_; }

  /// The gradient of forward's output, to be filled before backward(): [tokens, dim].
  float* outputGradient() { return dX_; }

  /// Adds parameter gradients for the tokens of the last forward call.
  void backward(const float* weights, float* gradients, const std::int32_t* tokens, const Sequences& sequences,
                const Cancel& cancel);

 private:
  struct Saved {
    float *input, *rstd1, *qkv, *lse, *attention, *middle, *rstd2, *gateUp;
  };

  void reserve(Index tokens);
  void layerForward(const float* weights, const LayerOffsets& at, const Saved& saved, const Sequences& sequences,
                    float* output);
  void layerBackward(const float* weights, float* gradients, const LayerOffsets& at, const Saved& saved,
                     const Sequences& sequences);

  Backend& backend_;
  ModelConfig config_;
  ModelOffsets offsets_;
  AttentionShape shape_;
  RopeTable rope_;
  Buffer memory_;
  Index capacity_ = 0;
  std::vector<Saved> saved_;
  std::vector<std::int32_t> positions_;
  float *output_ = nullptr, *normed_ = nullptr, *act_ = nullptr;
  float *dX_ = nullptr, *dNormed_ = nullptr, *dAct_ = nullptr, *dGateUp_ = nullptr, *dAttention_ = nullptr,
        *dQkv_ = nullptr;
};

}  // namespace actors
