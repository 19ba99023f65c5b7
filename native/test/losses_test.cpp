// The slope of every loss against finite differences of its value, at random tokens and where bounds decide.
#include "actors/losses.h"

#include <algorithm>
#include <array>

#include "check.h"

using namespace actors;
using namespace actors::test;

namespace {

/// A token whose ratios reach well beyond every bound.
LossToken someToken(std::uint64_t seed, double spread) {
  const auto draw = [&](std::uint64_t stream) { return uniform(stream, seed) * 2.0 - 1.0; };
  const double logp = -2.0 + draw(1);
  return {logp, logp + spread * draw(2), logp + spread * draw(3), 2.0 * draw(4), draw(5), draw(6), draw(7),
          spread * draw(8)};
}

/// The losses that hold something constant: the function whose gradient their slope is.
double surrogate(const LossSpec& loss, const LossToken& at, double step) {
  LossToken moved = at;
  moved.logp += step;
  const std::string name = loss.rule->name;
  if (name == "gspo") moved.sequenceLogRatio += step;  // its token's own gradient goes through the whole ratio
  if (name == "cispo") {
    const double weight = std::clamp(std::exp(at.logp - at.old), 1.0 - loss.clipLow, 1.0 + loss.clipHigh);
    return -weight * at.advantage * moved.logp;
  }
  return loss.rule->term(loss, moved).value;
}

void testSlopes(const std::string& name, double spread) {
  LossSpec loss;
  loss.rule = &findLoss(name);
  loss.dualClip = 1.5;
  loss.deltaLow = loss.deltaHigh = 0.05;
  constexpr double step = 1e-6;
  int clipped = 0, kinks = 0;
  for (std::uint64_t seed = 0; seed < 400; seed++) {
    const LossToken token = someToken(seed, spread);
    const LossTerm term = loss.rule->term(loss, token);
    clipped += term.clipped ? 1 : 0;
    const double right = (surrogate(loss, token, step) - surrogate(loss, token, 0.0)) / step;
    const double left = (surrogate(loss, token, 0.0) - surrogate(loss, token, -step)) / step;
    const double tolerance = 1e-4 * std::max(1.0, std::abs(term.slope));
    if (std::abs(right - left) > tolerance) kinks++;  // no derivative there
    else checkClose(term.slope, (left + right) / 2.0, tolerance, name + " slope at token " + std::to_string(seed));
  }
  check(kinks < 4, name + " has " + std::to_string(kinks) + " kinks");
  constexpr std::array bounded = {"regular", "dual_clip", "gspo", "cispo", "dppo", "decoupled_ppo", "value"};
  const bool expected = std::find(bounded.begin(), bounded.end(), name) != bounded.end();
  check((clipped > 10) == expected, name + " was bounded at " + std::to_string(clipped) + " tokens");
}

void testKl(const std::string& name, double spread) {
  const KlEstimator kl = klEstimator(name);
  constexpr double step = 1e-6;
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    const LossToken token = someToken(seed, spread);
    const auto valueAt = [&](double logp) { return klTerm(kl, logp, token.old).value; };
    const double slope = (valueAt(token.logp + step) - valueAt(token.logp - step)) / (2.0 * step);
    checkClose(klTerm(kl, token.logp, token.old).slope, slope, 1e-4 * std::max(1.0, std::abs(slope)), name + " slope");
  }
  checkClose(klTerm(kl, -1.5, -1.5).value, 0.0, 0.0, name + " of equals");
}

void testBounds() {
  LossSpec loss;
  loss.rule = &findLoss("regular");
  LossToken token{0.0, -100.0, -100.0, -1.0, 0.0, 0.0, 0.0, 0.0};
  const LossTerm far = loss.rule->term(loss, token);
  checkClose(far.value, std::exp(20.0), 1.0, "a ratio is clamped at exp(20)");
  checkClose(far.slope, 0.0, 0.0, "and has no gradient there");
  checkClose(klTerm(KlEstimator::K3, -100.0, 0.0).value, 10.0, 0.0, "k3 is at most 10");
  checkClose(klTerm(KlEstimator::K3, -100.0, 0.0).slope, 0.0, 0.0, "and has no gradient there");
  token.sequenceLogRatio = 11.0;
  loss.rule = &findLoss("gspo");
  checkClose(loss.rule->term(loss, token).value, std::exp(10.0), 1e-6, "a sequence's ratio is clamped at exp(10)");
  checkThrows(ErrorCode::InvalidArgument, "an unknown loss", [] { findLoss("nonsense"); });
  checkThrows(ErrorCode::InvalidArgument, "an unknown estimator", [] { klEstimator("k4"); });
}

}  // namespace

int main() {
  for (const char* name : {"regular", "dual_clip", "gspo", "cispo", "sapo", "dppo", "decoupled_ppo",
                           "importance_sampling", "cross_entropy", "linear", "value"})
    testSlopes(name, 1.0);
  for (const char* name : {"k1", "abs", "k2", "k3"})
    for (const double spread : {0.5, 4.0}) testKl(name, spread);
  testBounds();
  return report();
}
