#pragma once

#include <cstdint>
#include <vector>

#include "sequence.h"

namespace actors {

struct Sampled {
  std::int32_t token;
  float logprob;
};

/// Chooses the next token of a sequence: prepare() its logits, turn them into probabilities (softmax of logits over the
/// temperature), then draw. Belongs to one thread.
class Sampler {
 public:
  explicit Sampler(Index vocab) : vocab_(vocab), counts_(static_cast<std::size_t>(vocab)) {}

  /// Applies penalties and forbids the stop tokens of what is too short. Returns what greedy decoding takes: the
  /// token of highest logit, the lowest id on a tie.
  std::int32_t prepare(float* logits, const Sequence& sequence);

  /// The draw is a function of (seed, position) alone. Adds the likeliest tokens to the output where they are wanted.
  Sampled draw(const float* probabilities, Sequence& sequence);
  /// `best` is drawn for sure.
  Sampled greedy(const float* probabilities, std::int32_t best, Sequence& sequence);

 private:
  Sampled drawAny(const float* probabilities, double uniform) const;
  void keepLikely(const float* probabilities, const GenerationRequest& request);
  void sortLikeliest(const float* probabilities, std::size_t count, std::size_t from = 0);
  void report(const float* probabilities, double mass, Sequence& sequence);

  Index vocab_;
  std::vector<std::int32_t> order_;   ///< ids that may be drawn, likeliest first
  std::vector<std::int32_t> counts_;  ///< zero between calls
};

}  // namespace actors
