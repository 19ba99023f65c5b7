#include "actors/losses.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "actors/error.h"

namespace actors {

namespace {

constexpr double maxLogRatio = 20.0;

/// exp(clamp(x, -20, 20)) and its derivative, which is 0 where the clamp decides.
struct Ratio {
  double value, slope;
  explicit Ratio(double x) : value(std::exp(std::clamp(x, -maxLogRatio, maxLogRatio))) {
    slope = std::abs(x) > maxLogRatio ? 0.0 : value;
  }
};

/// -min(r A, clip(r) A): proximal policy optimisation (Schulman et al. 1707.06347), the bounds apart from each other
/// (DAPO, 2503.14476).
LossTerm clipped(const LossSpec& loss, const Ratio& r, double advantage) {
  const double plain = -r.value * advantage;
  const double bounded = -std::clamp(r.value, 1.0 - loss.clipLow, 1.0 + loss.clipHigh) * advantage;
  if (bounded > plain) return {bounded, 0.0, true};
  return {plain, -r.slope * advantage, false};
}

LossTerm regular(const LossSpec& loss, const LossToken& t) {
  return clipped(loss, Ratio(t.logp - t.old), t.advantage);
}

/// Where A < 0, at most -c A (Ye et al. 1912.09729).
LossTerm dualClip(const LossSpec& loss, const LossToken& t) {
  const LossTerm term = regular(loss, t);
  const double bound = -loss.dualClip * t.advantage;
  if (t.advantage < 0.0 && term.value > bound) return {bound, 0.0, true};
  return term;
}

/// The ratio is the sequence's geometric mean in value and the token's own in gradient (Zheng et al. 2507.18071).
LossTerm gspo(const LossSpec& loss, const LossToken& t) {
  constexpr double maxSequenceLogRatio = 10.0;
  Ratio s(std::min(t.sequenceLogRatio, maxSequenceLogRatio));
  if (t.sequenceLogRatio > maxSequenceLogRatio) s.slope = 0.0;
  return clipped(loss, s, t.advantage);
}

/// -sg[clip(r)] A logp: bounds the weight of a token, never its gradient away (MiniMax-M1, 2506.13585).
LossTerm cispo(const LossSpec& loss, const LossToken& t) {
  const double r = Ratio(t.logp - t.old).value;
  const double weight = std::clamp(r, 1.0 - loss.clipLow, 1.0 + loss.clipHigh);
  return {-weight * t.advantage * t.logp, -weight * t.advantage, weight != r};
}

/// -(4 / tau) sigmoid(tau (r - 1)) A: a soft gate in place of bounds (Gao et al. 2511.20347).
LossTerm sapo(const LossSpec& loss, const LossToken& t) {
  const Ratio r(t.logp - t.old);
  const double tau = t.advantage > 0.0 ? loss.tauPositive : loss.tauNegative;
  const double gate = 1.0 / (1.0 + std::exp(-tau * (r.value - 1.0)));
  return {-4.0 / tau * gate * t.advantage, -4.0 * gate * (1.0 - gate) * r.slope * t.advantage, false};
}

/// -r A, but nothing of a token whose probability already moved further than delta from the rollout's in the
/// advantage's direction (Qi et al. 2602.04879, the binary total variation).
LossTerm dppo(const LossSpec& loss, const LossToken& t) {
  const Ratio r(t.logp - t.old);
  const double moved = std::exp(t.logp) - std::exp(t.rollout);
  const bool dropped =
      (t.advantage > 0.0 && moved > loss.deltaHigh) || (t.advantage < 0.0 && moved < -loss.deltaLow);
  if (dropped) return {0.0, 0.0, true};
  return {-r.value * t.advantage, -r.slope * t.advantage, false};
}

/// `regular` against a proximal policy that is not the one that sampled, weighted by the ratio of the two (Fu et al.
/// 2505.24298). Where its log-probabilities were not computed they are interpolated between the rollout's and the
/// present ones (Batch::interpolation, 0 to 1), detached.
LossTerm decoupled(const LossSpec& loss, const LossToken& t) {
  LossTerm term = regular(loss, t);
  const double weight = Ratio(t.old - t.rollout).value;
  term.value *= weight;
  term.slope *= weight;
  return term;
}

/// -exp(logp - rollout) A.
LossTerm importanceSampling(const LossSpec&, const LossToken& t) {
  const Ratio r(t.logp - t.rollout);
  return {-r.value * t.advantage, -r.slope * t.advantage, false};
}

LossTerm crossEntropy(const LossSpec&, const LossToken& t) { return {-t.logp, -1.0, false}; }

/// coefficient * logp: whoever computed the coefficients knows the loss.
LossTerm linear(const LossSpec&, const LossToken& t) {
  return {t.coefficient * t.logp, t.coefficient, false};
}

/// The value half of PPO: half the squared error, or that of the value kept within valueClip of the old one where that
/// is worse (Schulman et al. 2017, in the form of OpenAI baselines).
LossTerm value(const LossSpec& loss, const LossToken& t) {
  const double error = t.logp - t.returns;
  const double moved = t.logp - t.oldValue;
  const double kept = t.oldValue + std::clamp(moved, -loss.valueClip, loss.valueClip) - t.returns;
  if (std::abs(moved) > loss.valueClip && kept * kept > error * error) return {0.5 * kept * kept, 0.0, true};
  return {0.5 * error * error, error, false};
}

using Field = std::vector<float> Batch::*;
constexpr Field advantages = &Batch::advantages, old = &Batch::oldLogp, rollout = &Batch::rolloutLogp;

const std::array<LossRule, 11> rules = {{
    {"regular", regular, {advantages, old}},
    {"dual_clip", dualClip, {advantages, old}},
    {"gspo", gspo, {advantages, old}, true},
    {"cispo", cispo, {advantages, old}},
    {"sapo", sapo, {advantages, old}},
    {"dppo", dppo, {advantages, old, rollout}},
    {"decoupled_ppo", decoupled, {advantages, old, rollout}},
    {"importance_sampling", importanceSampling, {advantages, rollout}},
    {"cross_entropy", crossEntropy, {}},
    {"linear", linear, {&Batch::coefficients}},
    {"value", value, {&Batch::returns, &Batch::oldValues}, false, true},
}};

/// One value an array, or 0 where there is none.
double at(const std::vector<float>& values, std::size_t i) {
  return values.empty() ? 0.0 : static_cast<double>(values[i]);
}

/// For each of the positions, the mean of logp - old over its sequence.
std::vector<double> sequenceLogRatios(const Batch& batch, const std::int32_t* positions, Index count,
                                      const float* logp) {
  std::vector<double> result(static_cast<std::size_t>(count));
  auto bound = batch.starts.begin();
  for (Index from = 0, to; from < count; from = to) {
    bound = std::upper_bound(bound, batch.starts.end(), positions[from]);
    double sum = 0.0;
    for (to = from; to < count && positions[to] < *bound; to++)
      sum += static_cast<double>(logp[to]) - at(batch.oldLogp, static_cast<std::size_t>(positions[to]));
    std::fill(result.begin() + from, result.begin() + to, sum / static_cast<double>(to - from));
  }
  return result;
}

}  // namespace

const LossRule& findLoss(const std::string& name) {
  std::string names;
  for (const LossRule& rule : rules) {
    if (name == rule.name) return rule;
    names += (names.empty() ? "" : ", ") + std::string(rule.name);
  }
  throw Error(ErrorCode::InvalidArgument, "loss: kind must be one of " + names + ", got \"" + name + "\"");
}

KlEstimator klEstimator(const std::string& name) {
  constexpr std::array names = {"k1", "abs", "k2", "k3"};
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(), "loss: the KL estimator must be k1, abs, k2 or k3, got \"" + name + "\"");
  return static_cast<KlEstimator>(found - names.begin());
}

LossTerm klTerm(KlEstimator estimator, double logp, double ref) {
  const double d = logp - ref;
  switch (estimator) {
    case KlEstimator::K1: return {d, 1.0};
    case KlEstimator::Abs: return {std::abs(d), d > 0.0 ? 1.0 : d < 0.0 ? -1.0 : 0.0};
    case KlEstimator::K2: return {d * d / 2.0, d};
    case KlEstimator::K3: break;
  }
  constexpr double most = 10.0;
  const Ratio inverse(-d);
  const double value = inverse.value - std::clamp(-d, -maxLogRatio, maxLogRatio) - 1.0;
  const bool bounded = value > most || inverse.slope == 0.0;
  return {std::min(value, most), bounded ? 0.0 : 1.0 - inverse.value};
}

void LossSpec::validate(const Batch& batch) const {
  const auto needs = [&](Field field, const std::string& who) {
    static constexpr std::array<std::pair<Field, const char*>, 7> names = {{{advantages, "advantages"},
                                                                           {old, "oldLogp"},
                                                                           {rollout, "rolloutLogp"},
                                                                           {&Batch::refLogp, "refLogp"},
                                                                           {&Batch::coefficients, "coefficients"},
                                                                           {&Batch::returns, "returns"},
                                                                           {&Batch::oldValues, "oldValues"}}};
    const auto name = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == field; });
    require(!(batch.*field).empty() || batch.tokens.empty(),
            "loss: " + who + " needs " + name->second + " in the batch");
  };
  for (const Field field : rule->reads) {
    const bool approximated = field == old && rule->term == decoupled && !batch.interpolation.empty();
    if (!approximated) needs(field, rule->name);
  }
  if (klCoef > 0.0) needs(&Batch::refLogp, "klCoef");
  require(std::isfinite(normalizer) && normalizer > 0, "loss: normalizer must be a positive number");
  require(clipLow >= 0 && clipHigh >= 0, "loss: clipLow and clipHigh must not be negative");
  require(dualClip > 1, "loss: dualClip must be more than 1");
  require(tauPositive > 0 && tauNegative > 0, "loss: tauPositive and tauNegative must be positive");
  require(deltaLow >= 0 && deltaHigh >= 0, "loss: deltaLow and deltaHigh must not be negative");
  require(valueClip > 0, "loss: valueClip must be positive");
  require(!rule->ofValues || (klCoef == 0.0 && entropyCoef == 0.0), "loss: a value has neither entropy nor KL");
  require(klCoef >= 0, "loss: klCoef must not be negative");
  require(balanceCoef >= 0, "loss: balanceCoef must not be negative");
}

void LossStats::finish(double normalizer) {
  const double masked = std::max(tokens, 1.0);
  loss /= normalizer;
  for (double* mean : {&entropy, &clipFraction, &balance, &klOld, &klRef}) *mean /= masked;
}

void gradeTokens(const Batch& batch, const LossSpec& loss, const std::int32_t* positions, Index count,
                 const float* logp, const float* entropy, float* gLogp, float* gEntropy, LossStats& sums) {
  std::vector<double> ofSequence;
  if (loss.rule->wholeSequence) ofSequence = sequenceLogRatios(batch, positions, count, logp);
  const bool compared = !batch.oldLogp.empty() || !batch.interpolation.empty();
  for (Index i = 0; i < count; i++) {
    const auto p = static_cast<std::size_t>(positions[i]);
    LossToken token{static_cast<double>(logp[i]), at(batch.oldLogp, p), at(batch.rolloutLogp, p),
                    at(batch.advantages, p), at(batch.coefficients, p), at(batch.returns, p),
                    at(batch.oldValues, p), 0.0};
    if (!ofSequence.empty()) token.sequenceLogRatio = ofSequence[static_cast<std::size_t>(i)];
    if (!batch.interpolation.empty())
      token.old = token.rollout + at(batch.interpolation, p) * (token.logp - token.rollout);
    LossTerm term = loss.rule->term(loss, token);
    const double weight = batch.weights.empty() ? 1.0 : at(batch.weights, p);
    double value = weight * term.value, slope = weight * term.slope;
    if (loss.klCoef > 0.0) {
      const LossTerm kl = klTerm(loss.kl, token.logp, at(batch.refLogp, p));
      value += loss.klCoef * kl.value;
      slope += loss.klCoef * kl.slope;
      sums.klRef += kl.value;
    }
    const double h = static_cast<double>(entropy[i]);
    sums.tokens += 1.0;
    sums.entropy += h;
    sums.loss += value - loss.entropyCoef * h;
    sums.clipFraction += term.clipped ? 1.0 : 0.0;
    if (compared) {
      const double ratio = Ratio(token.logp - token.old).value;
      if (ratio > sums.ratioMax || std::isnan(ratio)) sums.ratioMax = ratio;
      sums.klOld += klTerm(KlEstimator::K3, token.old, token.logp).value;
    }
    // A NaN that went into the loss must reach the gradient norm, so that the step is skipped and named.
    gLogp[i] = static_cast<float>((std::isnan(value) ? value : slope) / loss.normalizer);
    gEntropy[i] = static_cast<float>(-loss.entropyCoef / loss.normalizer);
  }
}

}  // namespace actors
