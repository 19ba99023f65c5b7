#pragma once

#include <cstdint>
#include <vector>

#include "actors/engine.h"

namespace actors {

struct Sampled {
  std::int32_t token;
  float logprob;
};

/// The token of highest logit, the lowest id on a tie.
std::int32_t greedyToken(const float* logits, Index vocab);

/// Draws from probabilities (softmax of logits / temperature) after top-k, then top-p, renormalised. The draw is a
/// function of (seed, position) alone.
Sampled drawToken(const float* probabilities, Index vocab, const GenerationRequest& request, std::uint64_t position,
                  std::vector<std::int32_t>& order);

}  // namespace actors
