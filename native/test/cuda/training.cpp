#include <algorithm>

#include "../check.h"
#include "actors/head.h"
#include "actors/transformer.h"
#include "compare.h"

namespace actors::test {

namespace {

struct Trained {
  std::vector<float> gradients, weights, logp;
  std::vector<double> balance;
};

/// Two steps from the same weights on the same tokens.
Trained train(Backend& backend, const ModelConfig& config, std::uint64_t seed) {
  const ParameterLayout layout(config);
  const ModelOffsets offsets(config, layout);
  const Index n = layout.total();
  std::vector<float> values = randomFloats(n, seed, 0.2);
  for (const Parameter& p : layout.all())
    if (p.shape.size() == 1 && !p.name.ends_with(".bias")) std::fill_n(values.begin() + p.offset, p.size, 1.0f);

  const std::vector<std::int32_t> starts = {0, 70, 71, 71, 90};
  const Sequences sequences{starts.data(), 4, 90};
  std::vector<std::int32_t> tokens;
  for (std::uint64_t i = 0; i < 90; i++)
    tokens.push_back(static_cast<std::int32_t>(uniform(seed + 1, i) * static_cast<double>(config.vocabSize)));

  Transformer transformer(backend, config, offsets);
  OutputHead head(backend, config, offsets);
  Buffer weights(n, backend.memory()), gradients(n, backend.memory()), first(n, backend.memory()),
      second(n, backend.memory());
  backend.upload(values.data(), n, weights.data());
  Trained result;
  for (int step = 1; step <= 2; step++) {
    HeadRows rows;
    rows.hidden = transformer.forward(weights.data(), tokens.data(), sequences, {});
    for (Index i = 0; i < sequences.count; i++) {
      for (std::int32_t row = starts[static_cast<std::size_t>(i)]; row + 1 < starts[static_cast<std::size_t>(i) + 1];
           row++) {
        rows.rows.push_back(row);
        rows.targets.push_back(tokens[static_cast<std::size_t>(row) + 1]);
      }
    }
    if (config.sparse()) result.balance = transformer.balance(sequences, {0.1, 0.2, 0.3, 0.4});
    backend.zero(transformer.outputGradient(), sequences.tokens * config.dim);
    head.train(
        weights.data(), gradients.data(), rows, step == 1,
        [&](Index, Index count, const float* logp, const float* entropy, float* gLogp, float* gEntropy) {
          result.logp.insert(result.logp.end(), logp, logp + count);
          result.logp.insert(result.logp.end(), entropy, entropy + count);
          std::fill_n(gLogp, count, -1.0f / 85.0f);
          std::fill_n(gEntropy, count, -0.01f / 85.0f);
        },
        transformer.outputGradient());
    transformer.backward(weights.data(), gradients.data(), tokens.data(), sequences, {});
    result.gradients.resize(static_cast<std::size_t>(n));
    backend.download(gradients.data(), n, result.gradients.data());
    const double norm = std::sqrt(backend.squaredNorm(gradients.data(), n));
    // A large epsilon keeps the step a smooth function of the gradient, so that rounding stays rounding.
    backend.adamw(weights.data(), gradients.data(), first.data(), second.data(), n, {.lr = 1e-2, .eps = 1e-3}, step,
                  0.1, 1.0 / norm);
    backend.zero(gradients.data(), n);
  }
  result.weights.resize(static_cast<std::size_t>(n));
  backend.download(weights.data(), n, result.weights.data());
  return result;
}

}  // namespace

void compareTraining(Comparison& compare, const ModelConfig& config, std::uint64_t seed) {
  const Trained wanted = train(compare.cpu(), config, seed), got = train(compare.backend(), config, seed);
  const auto arrays = [&](const char* what, const std::vector<float>& a, const std::vector<float>& b) {
    compare.value(std::string("training, ") + what, distance(a.data(), std::vector<double>(b.begin(), b.end())), 0.0);
  };
  arrays("log-probabilities", got.logp, wanted.logp);
  arrays("gradients", got.gradients, wanted.gradients);
  arrays("weights", got.weights, wanted.weights);
  for (std::size_t i = 0; i < wanted.balance.size(); i++)
    compare.value("training, balance", got.balance[i], wanted.balance[i]);
}

}  // namespace actors::test
