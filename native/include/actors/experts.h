#pragma once

#include <cstdint>
#include <vector>

#include "actors/backend.h"

namespace actors {

/// Matrices of one sparse MLP. `gateUp` [2 ffn, dim] and `down` [dim, ffn] have one entry an expert.
struct ExpertWeights {
  Linear router;  ///< [experts, dim]
  std::vector<Linear> gateUp, down;
};

/// Gradients of the same matrices; expert e's lie at e * stride.
struct ExpertGradients {
  float *router, *gateUp, *down;
  Index stride;
};

/// Where the rows of one pass went. A slot is one (row, expert) pair; slots lie grouped by expert, each expert's in row
/// order, so that an expert is one multiplication.
struct Routing {
  std::vector<std::int32_t> chosen;  ///< [rows, active]
  std::vector<std::int32_t> rows;    ///< of each slot
  std::vector<std::int32_t> places;  ///< of each slot in `chosen`
  std::vector<Index> starts;         ///< experts + 1 bounds

  void group(Index experts, Index active);
};

/// The sparse MLP of a mixture-of-experts layer, forward and backward.
class ExpertMlp {
 public:
  /// What the backward pass needs of the forward pass, each with room for all rows.
  struct Saved {
    float* probabilities = nullptr;  ///< [rows, experts]
    float* weights = nullptr;        ///< [rows, active]
    float* gateUp = nullptr;         ///< [slots, 2 ffn]
    Routing routing;
  };

  ExpertMlp(Backend& backend, const ModelConfig& config);

  /// Floats a token that Saved takes.
  Index savedFloats() const { return experts_.count + experts_.active + 2 * experts_.active * experts_.ffnDim; }

  /// out [rows, dim] += the experts' outputs for x [rows, dim]; with no out, only what the backward pass needs.
  void forward(const float* x, Index rows, const ExpertWeights& weights, Saved& saved, float* out);

  /// dX = the gradient of x. `balance` [sequences, experts]: the balance loss's gradient of the probabilities, or null.
  void backward(const float* dOut, const float* x, const Sequences& sequences, const ExpertWeights& weights,
                const Saved& saved, const float* balance, const ExpertGradients& gradients, float* dX);

 private:
  Backend& backend_;
  Index dim_;
  Experts experts_;
  Buffer memory_;
};

}  // namespace actors
