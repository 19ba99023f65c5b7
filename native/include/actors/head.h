#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "actors/backend.h"

namespace actors {

/// Rows of the trunk's output that predict something: row r of `hidden` [tokens, dim] predicts target r.
struct HeadRows {
  const float* hidden = nullptr;
  std::vector<std::int32_t> rows, targets;
  Index count() const { return static_cast<Index>(rows.size()); }
};

/// The final norm and the projection to the vocabulary, or to a critic's value, in blocks of rows so that the logits of
/// a large vocabulary fit.
class OutputHead {
 public:
  OutputHead(Backend& backend, const ModelConfig& config, const ModelOffsets& offsets);

  /// log p(target) and entropy of each row, [count] in host memory, valid until the next call; with a value head, value
  /// and 0.
  struct Predictions {
    const float *logp, *entropy;
  };
  Predictions forward(const float* weights, const HeadRows& rows);

  /// Asked for the gradients of rows [from, from + count): grade(from, count, logp, entropy, gLogp, gEntropy), pointers
  /// to the first of them in host memory.
  using Grade = std::function<void(Index, Index, const float*, const float*, float*, float*)>;
  /// Adds to the parameters' gradients and to that of `hidden`. `whole`: grade is called once, for all rows; logits of
  /// more than one block are then computed twice.
  void train(const float* weights, float* gradients, const HeadRows& rows, bool whole, const Grade& grade,
             float* dHidden);

 private:
  void reserve(Index rows);
  void predict(const float* weights, const HeadRows& rows, Index from, Index count);
  void backward(const float* weights, float* gradients, const HeadRows& rows, Index from, Index count, float* dHidden);

  Backend& backend_;
  ModelConfig config_;
  ModelOffsets offsets_;
  Buffer memory_;
  Index block_ = 0;
  std::vector<float> logp_, entropy_, gLogp_, gEntropy_;  ///< of all rows
  // In the backend's memory, of all rows and of a block.
  float *logps_ = nullptr, *entropies_ = nullptr, *gLogps_ = nullptr, *gEntropies_ = nullptr;
  float *hidden_ = nullptr, *normed_ = nullptr, *dNormed_ = nullptr, *dRows_ = nullptr, *rstd_ = nullptr,
        *lse_ = nullptr, *logits_ = nullptr;
};

}  // namespace actors
