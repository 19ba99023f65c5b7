#pragma once

#include <cstdint>
#include <vector>

#include "actors/backend.h"
#include "actors/cancel.h"
#include "actors/experts.h"

namespace actors {

/// Forward and backward passes of the decoder's trunk (everything but the output head) over packed sequences.
/// Keeps what the backward pass needs; normalised inputs and SwiGLU outputs are recomputed, being cheap.
class Transformer {
 public:
  Transformer(Backend& backend, const ModelConfig& config, const ModelOffsets& offsets);

  /// Keeps only what enters each layer, and computes the rest again in the backward pass (gradient checkpointing, Chen
  /// et al. 1604.06174): the same bits, a forward pass more.
  void recompute(bool on);

  /// Returns the last layer's output [tokens, dim], valid until the next call.
  const float* forward(const float* weights, const std::int32_t* tokens, const Sequences& sequences,
                       const Cancel& cancel);

  const float* output() const { return output_; }

  /// The gradient of forward's output, to be filled before backward(): [tokens, dim].
  float* outputGradient() { return dX_; }

  /// How unevenly the experts were used in the last forward call, for each sequence: experts * sum over e of
  /// (share of choices that fell on e) * (mean probability of e), over all layers (Fedus et al. 2021, eq. 4; as
  /// transformers computes it for one sequence). `scales` [sequences] multiply its gradient in the next backward().
  /// Taken for each sequence, so that micro-batches do not change it.
  std::vector<double> balance(const Sequences& sequences, const std::vector<double>& scales);

  /// Adds parameter gradients for the tokens of the last forward call.
  void backward(const float* weights, float* gradients, const std::int32_t* tokens, const Sequences& sequences,
                const Cancel& cancel);

 private:
  struct Saved {
    float *input, *rstd1, *qkv, *lse, *attention, *middle, *rstd2, *gateUp;
    ExpertMlp::Saved experts;
  };

  void reserve(Index tokens);
  const float* rotatedQkv(const float* weights, const LayerOffsets& at, float* qkv, Index rows);
  ExpertWeights expertWeights(const float* weights, const LayerOffsets& at) const;
  void layerForward(const float* weights, const LayerOffsets& at, Saved& saved, const Sequences& sequences,
                    float* output);
  void attentionBackward(const float* weights, float* gradients, const LayerOffsets& at, const Saved& saved,
                         const Sequences& sequences);
  void mlpBackward(const float* weights, float* gradients, const LayerOffsets& at, const Saved& saved,
                   const Sequences& sequences);

  Backend& backend_;
  ModelConfig config_;
  ModelOffsets offsets_;
  AttentionShape shape_;
  RopeTable rope_;
  ExpertMlp expertMlp_;
  Buffer memory_, balance_;
  bool recompute_ = false;
  bool balanced_ = false;  ///< balance_ holds gradients for the next backward()
  Index capacity_ = 0;
  std::vector<Saved> saved_;
  std::vector<std::int32_t> positions_;
  float *output_ = nullptr, *normed_ = nullptr, *rotated_ = nullptr, *act_ = nullptr;
  float *dX_ = nullptr, *dNormed_ = nullptr, *dAct_ = nullptr, *dGateUp_ = nullptr, *dAttention_ = nullptr,
        *dQkv_ = nullptr;
};

}  // namespace actors
