// The gradient of both losses against finite differences: along each parameter tensor's own gradient, the loss must
// change as fast as that gradient is long. Also thread counts and memory reuse must not change a bit.
#include <cstring>

#include "actors/learner.h"
#include "check.h"

using namespace actors;
using namespace actors::test;

namespace {

ModelConfig smallModel(bool tied) {
  ModelConfig c;
  c.vocabSize = 19;
  c.dim = 20;
  c.layers = 2;
  c.heads = 4;
  c.kvHeads = 2;
  c.headDim = 6;
  c.ffnDim = 28;
  c.tiedEmbeddings = tied;
  c.maxSeqLen = 96;
  return c;
}

Batch someBatch(const ModelConfig& config) {
  Batch batch;
  batch.starts = {0, 9, 10, 10, 80};
  for (std::int32_t i = 0; i < 80; i++) {
    const auto draw = static_cast<std::uint64_t>(i);
    batch.tokens.push_back(static_cast<std::int32_t>(uniform(1, draw) * static_cast<double>(config.vocabSize)));
    const bool first = i == 0 || i == 9 || i == 10;
    batch.lossMask.push_back(!first && uniform(2, draw) < 0.7 ? 1 : 0);
    batch.advantages.push_back(static_cast<float>(uniform(3, draw) * 2.0 - 1.0));
    batch.oldLogp.push_back(static_cast<float>(-3.0 + uniform(4, draw) * 0.4));
    batch.returns.push_back(static_cast<float>(uniform(5, draw)));
    batch.oldValues.push_back(0.0f);
  }
  return batch;
}

double lossAt(Learner& learner, const Batch& batch, const LossSpec& loss) {
  const double value = learner.forwardBackward(batch, loss).loss;
  learner.optimStep({.lr = 0.0});
  return value;
}

void testFiniteDifferences(bool tied, const LossSpec& loss, const std::string& name, float advantageScale = 1.0f) {
  ModelConfig config = smallModel(tied);
  config.valueHead = loss.rule->ofValues;
  Batch batch = someBatch(config);
  for (float& advantage : batch.advantages) advantage *= advantageScale;
  Learner learner(config, 5, 1);
  learner.forwardBackward(batch, loss);
  const std::vector<float> gradient(learner.gradients(), learner.gradients() + learner.layout().total());
  learner.optimStep({.lr = 0.0});

  for (const Parameter& p : learner.layout().all()) {
    double squares = 0.0;
    for (Index i = 0; i < p.size; i++)
      squares += std::pow(static_cast<double>(gradient[static_cast<std::size_t>(p.offset + i)]), 2);
    const double length = std::sqrt(squares);
    float* weights = learner.parameters() + p.offset;
    const std::vector<float> saved(weights, weights + p.size);
    const auto slope = [&](double step) {
      double values[2];
      for (const int side : {0, 1}) {
        for (Index i = 0; i < p.size; i++) {
          const double direction = static_cast<double>(gradient[static_cast<std::size_t>(p.offset + i)]) / length;
          weights[i] = static_cast<float>(static_cast<double>(saved[static_cast<std::size_t>(i)]) +
                                          (side == 0 ? -step : step) * direction);
        }
        values[side] = lossAt(learner, batch, loss);
      }
      return (values[1] - values[0]) / (2.0 * step);
    };
    // Richardson's extrapolation cancels the error of second order, so the step can stay above rounding noise.
    const double estimate = (4.0 * slope(5e-3) - slope(1e-2)) / 3.0;
    std::copy(saved.begin(), saved.end(), weights);
    checkClose(estimate / length, 1.0, 5e-3, name + (tied ? " tied " : " ") + p.name);
  }
}

void testThreadsAgree(const ModelConfig& config) {
  const Batch batch = someBatch(config);
  LossSpec loss;
  loss.rule = &findLoss("cross_entropy");
  loss.normalizer = 40;
  loss.balanceCoef = 0.1;
  Learner one(config, 5, 1), three(config, 5, 3);
  for (int step = 0; step < 2; step++) {
    for (Learner* learner : {&one, &three}) learner->forwardBackward(batch, loss);
    check(std::memcmp(one.gradients(), three.gradients(),
                      static_cast<std::size_t>(one.layout().total()) * sizeof(float)) == 0,
          "gradients differ between one and three threads");
    for (Learner* learner : {&one, &three}) learner->optimStep({.lr = 1e-2, .weightDecay = 0.1, .maxGradNorm = 1.0});
    check(std::memcmp(one.parameters(), three.parameters(),
                      static_cast<std::size_t>(one.layout().total()) * sizeof(float)) == 0,
          "weights differ between one and three threads");
  }
}

}  // namespace

int main() {
  // Bounds out of reach: the kinks of clipping would spoil finite differences, and the goldens cover them.
  LossSpec policy;
  policy.rule = &findLoss("regular");
  policy.clipLow = 1.0;
  policy.clipHigh = 1e6;
  policy.entropyCoef = 0.05;
  policy.normalizer = 30;
  LossSpec entropyAlone = policy;
  entropyAlone.entropyCoef = 1.0;
  LossSpec crossEntropy;
  crossEntropy.rule = &findLoss("cross_entropy");
  crossEntropy.normalizer = 30;
  for (const bool tied : {false, true}) {
    testFiniteDifferences(tied, policy, "policy");
    testFiniteDifferences(tied, entropyAlone, "entropy", 0.0f);
    testFiniteDifferences(tied, crossEntropy, "cross entropy");
  }
  LossSpec value;
  value.rule = &findLoss("value");
  value.valueClip = 1e6;
  value.normalizer = 30;
  testFiniteDifferences(true, value, "value");
  ModelConfig config = smallModel(false);
  testThreadsAgree(config);
  config.qkvBias = true;
  testThreadsAgree(config);
  config.qkvBias = false;
  config.qkNorm = true;
  config.experts = {6, 2, 10, true};
  testThreadsAgree(config);
  return report();
}
