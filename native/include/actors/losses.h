#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/model.h"

namespace actors {

/// Packed variable-length sequences. Arrays over positions are as long as tokens; those that no chosen loss reads may be
/// empty. Position i with lossMask 1 means: log p(tokens[i] | tokens before it in its sequence) enters the loss.
struct Batch {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> starts;  ///< B + 1 bounds
  std::vector<std::uint8_t> lossMask;
  std::vector<float> advantages, oldLogp, rolloutLogp;
  std::vector<float> refLogp;        ///< of the frozen reference
  std::vector<float> weights;        ///< of each token's loss, detached; empty: 1. Entropy and KL are not weighted.
  std::vector<float> coefficients;   ///< of `linear`
  std::vector<float> interpolation;  ///< of `decoupled_ppo`, for oldLogp: see decoupled in losses.cpp
  std::vector<float> returns, oldValues;  ///< of `value`
};

/// One sampled token as a loss sees it, and what the loss makes of it.
struct LossToken {
  double logp, old, rollout, advantage, coefficient;
  double returns, oldValue;
  double sequenceLogRatio;  ///< mean of logp - old over the sequence's masked tokens, for losses that ask for it
};
struct LossTerm {
  double value = 0.0;
  double slope = 0.0;  ///< d value / d logp
  bool clipped = false;
};

struct LossSpec;

/// A loss by name: a pure function of one token, and what of the batch it reads.
struct LossRule {
  const char* name;
  LossTerm (*term)(const LossSpec&, const LossToken&);
  std::vector<std::vector<float> Batch::*> reads;
  bool wholeSequence = false;  ///< needs the log-probabilities of a whole sequence before any token's gradient
  bool ofValues = false;       ///< for a model with a value head: `logp` is the value
};

/// Throws InvalidArgument that lists the names.
const LossRule& findLoss(const std::string& name);

/// How far the policy is from a frozen reference, d = logp - ref of a sampled token (Schulman 2020, "Approximating KL
/// divergence"): k1 = d, abs = |d|, k2 = d^2 / 2, k3 = exp(-d) + d - 1.
enum class KlEstimator { K1, Abs, K2, K3 };
KlEstimator klEstimator(const std::string& name);
LossTerm klTerm(KlEstimator estimator, double logp, double ref);

struct LossSpec {
  const LossRule* rule = nullptr;
  double clipLow = 0.2, clipHigh = 0.2;  ///< the ratio's band is [1 - clipLow, 1 + clipHigh]
  double dualClip = 3.0;                 ///< `dual_clip`: bound of the ratio where the advantage is negative
  double tauPositive = 1.0, tauNegative = 1.05;  ///< `sapo`
  double deltaLow = 0.2, deltaHigh = 0.2;        ///< `dppo`: probability that a token may lose, or gain
  double valueClip = 0.2;                        ///< `value`: how far from its old value one may move
  double entropyCoef = 0.0;
  double klCoef = 0.0;  ///< > 0 needs refLogp
  KlEstimator kl = KlEstimator::K3;
  double balanceCoef = 0.0;  ///< mixture of experts: of each sequence's balance (transformer.h) times its masked tokens
  double normalizer = 1.0;   ///< the loss is a sum over masked tokens divided by this

  /// Throws InvalidArgument for a number out of range, or an array that the loss reads and the batch lacks.
  void validate(const Batch& batch) const;
};

struct LossStats {
  double loss = 0.0;          ///< this batch's share: sum over masked tokens / normalizer, all terms included
  double entropy = 0.0;       ///< mean over masked tokens, nats
  double clipFraction = 0.0;  ///< of masked tokens where a bound decided
  double ratioMax = 0.0;      ///< of probabilities, new to old; this and klOld only of batches with an old policy
  double tokens = 0.0;   ///< masked tokens
  double balance = 0.0;  ///< mean over masked tokens of their sequence's expert balance, 0 unless balanceCoef is set
  double klOld = 0.0;    ///< mean k3 estimate of KL(old || new)
  double klRef = 0.0;    ///< mean of the chosen estimate of KL(new || reference), 0 unless klCoef is set

  /// From sums over tokens to what is reported.
  void finish(double normalizer);
};

/// The gradient of masked tokens' losses, divided by the normalizer, with respect to their log-probabilities and
/// entropies; adds to the sums of the statistics. `positions` ascend; the arrays have one entry each. For a
/// wholeSequence rule all masked tokens of a sequence must come in one call.
void gradeTokens(const Batch& batch, const LossSpec& loss, const std::int32_t* positions, Index count,
                 const float* logp, const float* entropy, float* gLogp, float* gEntropy, LossStats& sums);

}  // namespace actors
