#include "actors/learner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "actors/random.h"

namespace actors {

namespace {

/// Tokens of one pass through the layers: activations of small models then stay in the cache.
constexpr Index chunkTokens = 1024;

/// Normal weights scaled as "Transformers without Tears" (Nguyen & Salazar 2019): std sqrt(2 / (5 dim)), and the
/// projections that write into the residual stream divided by sqrt(2 layers) (Radford et al. 2019). Norms start at 1.
void initialise(const ModelConfig& config, const ParameterLayout& layout, std::uint64_t seed, float* weights) {
  const double base = std::sqrt(2.0 / (5.0 * static_cast<double>(config.dim)));
  const double residual = base / std::sqrt(2.0 * static_cast<double>(config.layers));
  for (std::size_t index = 0; index < layout.all().size(); index++) {
    const Parameter& p = layout.all()[index];
    float* values = weights + p.offset;
    if (p.shape.size() == 1) {
      std::fill(values, values + p.size, p.name.ends_with(".bias") ? 0.0f : 1.0f);
      continue;
    }
    const bool writesResidual = p.name.ends_with("o_proj.weight") || p.name.ends_with("down_proj.weight");
    const double deviation = writesResidual ? residual : base;
    for (Index i = 0; i < p.size; i += 2) {
      const double radius = std::sqrt(-2.0 * std::log1p(-uniform(seed, static_cast<std::uint64_t>(i), index)));
      const double angle = 2.0 * std::numbers::pi * uniform(seed, static_cast<std::uint64_t>(i + 1), index);
      values[i] = static_cast<float>(deviation * radius * std::cos(angle));
      if (i + 1 < p.size) values[i + 1] = static_cast<float>(deviation * radius * std::sin(angle));
    }
  }
}

int checkedThreads(int threads) {
  require(threads >= 1 && threads <= 1024, "threads must be between 1 and 1024, got " + std::to_string(threads));
  return threads;
}

}  // namespace

Learner::Learner(const ModelConfig& config, int threads, Unset)
    : config_((config.validate(), config)),
      layout_(config),
      offsets_(config, layout_),
      backend_(makeCpuBackend(checkedThreads(threads))),
      weights_(layout_.total()),
      gradients_(layout_.total()),
      transformer_(*backend_, config, offsets_),
      head_(*backend_, config, offsets_) {
  resetOptimizer();
}

Learner::Learner(const ModelConfig& config, std::uint64_t seed, int threads) : Learner(config, threads, Unset{}) {
  initialise(config_, layout_, seed, weights_.data());
}

void Learner::validate(const Batch& batch, bool training) const {
  const std::size_t n = batch.tokens.size();
  const auto& starts = batch.starts;
  require(!starts.empty() && starts.front() == 0 && static_cast<std::size_t>(starts.back()) == n,
          "batch: starts must begin with 0 and end with the number of tokens (" + std::to_string(n) + ")");
  for (std::size_t i = 1; i < starts.size(); i++) {
    const Index length = Index{starts[i]} - starts[i - 1];
    require(length >= 0, "batch: starts must not decrease (sequence " + std::to_string(i - 1) + ")");
    require(length <= config_.maxSeqLen, "batch: sequence " + std::to_string(i - 1) + " has " + std::to_string(length) +
                                             " tokens, the model's maxSeqLen is " + std::to_string(config_.maxSeqLen));
  }
  for (std::size_t i = 0; i < n; i++) {
    require(batch.tokens[i] >= 0 && batch.tokens[i] < config_.vocabSize,
            "batch: token " + std::to_string(batch.tokens[i]) + " at " + std::to_string(i) +
                " is outside the vocabulary of " + std::to_string(config_.vocabSize));
  }
  if (!training) return;
  require(batch.lossMask.size() == n, "batch: lossMask must have one entry a token");
  const std::pair<const char*, const std::vector<float>*> arrays[] = {
      {"advantages", &batch.advantages}, {"oldLogp", &batch.oldLogp},           {"rolloutLogp", &batch.rolloutLogp},
      {"refLogp", &batch.refLogp},       {"weights", &batch.weights},           {"coefficients", &batch.coefficients},
      {"interpolation", &batch.interpolation}, {"returns", &batch.returns}, {"oldValues", &batch.oldValues}};
  for (const auto& [name, values] : arrays)
    require(values->empty() || values->size() == n, std::string("batch: ") + name + " must have one entry a token");
  for (std::size_t i = 0; i + 1 < starts.size(); i++) {
    const auto at = static_cast<std::size_t>(starts[i]);
    require(starts[i] == starts[i + 1] || batch.lossMask[at] == 0,
            "batch: sequence " + std::to_string(i) + " masks in its first token, which has no prediction");
  }
}

/// Visits consecutive whole sequences, about chunkTokens at a time: visit(first token, sequences).
template <class Visit>
void Learner::forEachChunk(const Batch& batch, const Cancel& cancel, Visit visit) {
  const std::size_t count = batch.starts.size() - 1;
  std::vector<std::int32_t> local;
  for (std::size_t from = 0, to; from < count; from = to) {
    const std::int32_t first = batch.starts[from];
    local.assign(1, 0);
    for (to = from; to < count && (to == from || batch.starts[to + 1] - first <= chunkTokens); to++)
      local.push_back(batch.starts[to + 1] - first);
    const Sequences sequences{local.data(), static_cast<Index>(local.size()) - 1, local.back()};
    if (sequences.tokens == 0) continue;
    cancel.check();
    visit(Index{first}, sequences);
  }
}

/// The load-balancing loss of a mixture of experts: each sequence counts as much as it has masked tokens.
void Learner::balanceLoss(const Batch& batch, Index first, const Sequences& sequences, const LossSpec& loss,
                          LossStats& sums) {
  if (!config_.sparse() || loss.balanceCoef <= 0.0) return;
  std::vector<double> masked, scales;
  for (Index i = 0; i < sequences.count; i++) {
    const auto from = batch.lossMask.begin() + first;
    masked.push_back(static_cast<double>(
        std::count_if(from + sequences.starts[i], from + sequences.starts[i + 1], [](auto m) { return m != 0; })));
    scales.push_back(loss.balanceCoef * masked.back() / loss.normalizer);
  }
  const std::vector<double> values = transformer_.balance(sequences, scales);
  for (std::size_t i = 0; i < values.size(); i++) {
    sums.balance += masked[i] * values[i];
    sums.loss += loss.balanceCoef * masked[i] * values[i];
  }
}

LossStats Learner::forwardBackward(const Batch& batch, const LossSpec& loss, const Cancel& cancel) {
  validate(batch, true);
  loss.validate(batch);
  require(loss.rule->ofValues == config_.valueHead, std::string("loss: ") + loss.rule->name +
                                                        (config_.valueHead ? " needs a model that predicts tokens"
                                                                           : " needs a model with a value head"));
  LossStats sums;
  HeadRows rows;
  std::vector<std::int32_t> positions;
  try {
    forEachChunk(batch, cancel, [&](Index first, const Sequences& sequences) {
      rows.rows.clear();
      rows.targets.clear();
      positions.clear();
      for (Index i = 1; i < sequences.tokens; i++) {
        const auto position = static_cast<std::size_t>(first + i);
        if (batch.lossMask[position] == 0) continue;
        rows.rows.push_back(static_cast<std::int32_t>(i - 1));
        rows.targets.push_back(batch.tokens[position]);
        positions.push_back(static_cast<std::int32_t>(position));
      }
      if (positions.empty()) return;
      const std::int32_t* tokens = batch.tokens.data() + first;
      rows.hidden = transformer_.forward(weights_.data(), tokens, sequences, cancel);
      backend_->zero(transformer_.outputGradient(), sequences.tokens * config_.dim);
      const auto grade = [&](Index from, Index count, const float* logp, const float* entropy, float* gLogp,
                             float* gEntropy) {
        gradeTokens(batch, loss, positions.data() + from, count, logp, entropy, gLogp, gEntropy, sums);
      };
      head_.train(weights_.data(), gradients_.data(), rows, loss.rule->wholeSequence, grade,
                  transformer_.outputGradient());
      balanceLoss(batch, first, sequences, loss, sums);
      transformer_.backward(weights_.data(), gradients_.data(), tokens, sequences, cancel);
    });
  } catch (...) {
    backend_->zero(gradients_.data(), layout_.total());
    throw;
  }
  sums.finish(loss.normalizer);
  return sums;
}

void Learner::logprobs(const Batch& batch, float* logp, float* entropy, const Cancel& cancel) {
  require(!config_.valueHead, "a model with a value head has no log-probabilities");
  predict(batch, logp, entropy, cancel);
}

void Learner::values(const Batch& batch, float* values, const Cancel& cancel) {
  require(config_.valueHead, "the model has no value head");
  std::vector<float> entropy(batch.tokens.size());
  predict(batch, values, entropy.data(), cancel);
}

void Learner::predict(const Batch& batch, float* logp, float* entropy, const Cancel& cancel) {
  validate(batch, false);
  std::fill(logp, logp + batch.tokens.size(), 0.0f);
  std::fill(entropy, entropy + batch.tokens.size(), 0.0f);
  HeadRows rows;
  forEachChunk(batch, cancel, [&](Index first, const Sequences& sequences) {
    rows.rows.clear();
    rows.targets.clear();
    for (Index i = 0; i < sequences.count; i++) {
      for (std::int32_t row = sequences.starts[i]; row + 1 < sequences.starts[i + 1]; row++) {
        rows.rows.push_back(row);
        rows.targets.push_back(batch.tokens[static_cast<std::size_t>(first + row + 1)]);
      }
    }
    if (rows.rows.empty()) return;
    rows.hidden = transformer_.forward(weights_.data(), batch.tokens.data() + first, sequences, cancel);
    const auto [logps, entropies] = head_.forward(weights_.data(), rows);
    for (Index i = 0; i < rows.count(); i++) {
      const Index position = first + rows.rows[static_cast<std::size_t>(i)] + 1;
      logp[position] = logps[i];
      entropy[position] = entropies[i];
    }
  });
}

std::vector<float> Learner::logits(const std::vector<std::int32_t>& tokens, const Cancel& cancel) {
  const std::vector<std::int32_t> starts = {0, static_cast<std::int32_t>(tokens.size())};
  require(!config_.valueHead, "a model with a value head has no logits");
  Batch batch;
  batch.tokens = tokens;
  batch.starts = starts;
  validate(batch, false);
  const Index rows = starts[1], dim = config_.dim, vocab = config_.vocabSize;
  std::vector<float> result(static_cast<std::size_t>(rows * vocab));
  if (rows == 0) return result;
  const float* hidden = transformer_.forward(weights_.data(), tokens.data(), {starts.data(), 1, rows}, cancel);
  Buffer normed(rows * dim);
  backend_->rmsNorm(hidden, weights_.data() + offsets_.finalNorm, rows, dim, config_.normEps, normed.data(),
                    nullptr);
  backend_->linear(normed.data(), rows, {weights_.data() + offsets_.head, nullptr, vocab, dim}, result.data(), false);
  return result;
}

}  // namespace actors
