#include "actors/learner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "actors/json.h"
#include "actors/random.h"

namespace actors {

namespace {

/// Tokens of one pass through the layers: activations of small models then stay in the cache.
constexpr Index chunkTokens = 1024;
/// Floats of logits alive at once; large vocabularies are cut into blocks of rows.
constexpr Index logitFloats = 1 << 20;

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
      first_(layout_.total()),
      second_(layout_.total()),
      transformer_(*backend_, config, offsets_) {}

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
  require(batch.lossMask.size() == n && batch.advantages.size() == n && batch.oldLogp.size() == n,
          "batch: lossMask, advantages and oldLogp must each have one entry a token");
  require(batch.rolloutLogp.empty() || batch.rolloutLogp.size() == n, "batch: rolloutLogp must have one entry a token");
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

/// The gradient of one masked token's loss with respect to its log-probability and entropy, and its share of the
/// statistics. Definitions: PPO's clipped objective (Schulman et al. 2017) with asymmetric bounds (DAPO, 2503.14476).
void Learner::lossGradient(const Batch& batch, const LossSpec& loss, Index position, float logp, float entropy,
                           float& gLogp, float& gEntropy, LossStats& sums) const {
  const auto at = static_cast<std::size_t>(position);
  sums.tokens += 1.0;
  sums.entropy += static_cast<double>(entropy);
  if (loss.kind == LossSpec::Kind::CrossEntropy) {
    sums.loss -= static_cast<double>(logp);
    gLogp = static_cast<float>(-1.0 / loss.normalizer);
    gEntropy = 0.0f;
    return;
  }
  const double advantage = static_cast<double>(batch.advantages[at]), old = static_cast<double>(batch.oldLogp[at]);
  const double difference = static_cast<double>(logp) - old;
  const double ratio = std::exp(std::clamp(difference, -20.0, 20.0));
  const double bounded = std::clamp(ratio, 1.0 - loss.clipLow, 1.0 + loss.clipHigh);
  const double plain = -ratio * advantage, clipped = -bounded * advantage;
  double weight = 1.0;
  if (loss.tisCap > 0.0)
    weight = std::min(std::exp(std::clamp(old - static_cast<double>(batch.rolloutLogp[at]), -20.0, 20.0)), loss.tisCap);

  const bool limited = clipped > plain || std::abs(difference) > 20.0;
  sums.loss += weight * std::max(plain, clipped) - loss.entropyCoef * static_cast<double>(entropy);
  sums.clipFraction += clipped > plain ? 1.0 : 0.0;
  if (ratio > sums.ratioMax || std::isnan(ratio)) sums.ratioMax = ratio;
  const double e = std::clamp(-difference, -20.0, 20.0);
  sums.klOld += std::clamp(std::exp(e) - e - 1.0, -10.0, 10.0);
  gLogp = limited ? 0.0f : static_cast<float>(weight * plain / loss.normalizer);
  gEntropy = static_cast<float>(-loss.entropyCoef / loss.normalizer);
  // A NaN advantage or log-probability must reach the gradient norm, so that the step is skipped and named.
  if (std::isnan(plain)) gLogp = static_cast<float>(plain);
}

/// The output head for the hidden rows that predict something: `rows` are chunk-local, row r predicts token r + 1.
/// With a loss, also its backward pass into the trunk's output gradient.
void Learner::headPass(const Batch& batch, Index first, const std::vector<std::int32_t>& rows, const LossSpec* loss,
                       LossStats* sums, float* logp, float* entropy) {
  const Index dim = config_.dim, vocab = config_.vocabSize, total = static_cast<Index>(rows.size());
  const Index block = std::min(total, std::max<Index>(32, logitFloats / vocab));
  float* hidden = head_.reserve(block * (vocab + 4 * dim + 6));
  float *normed = hidden + block * dim, *dNormed = normed + block * dim, *dHidden = dNormed + block * dim;
  float *rstd = dHidden + block * dim, *logps = rstd + block, *entropies = logps + block, *lse = entropies + block;
  float *gLogp = lse + block, *gEntropy = gLogp + block, *logits = gEntropy + block;
  const Linear matrix{weights_.data() + offsets_.head, nullptr, vocab, dim};
  std::vector<std::int32_t> targets(static_cast<std::size_t>(block));

  for (Index from = 0; from < total; from += block) {
    const Index count = std::min(block, total - from);
    const std::int32_t* local = rows.data() + from;
    for (Index i = 0; i < count; i++)
      targets[static_cast<std::size_t>(i)] = batch.tokens[static_cast<std::size_t>(first + local[i] + 1)];
    backend_->gather(transformer_.output(), local, count, dim, hidden);
    backend_->rmsNorm(hidden, weights_.data() + offsets_.finalNorm, count, dim, config_.normEps, normed, rstd);
    backend_->linear(normed, count, matrix, logits, false);
    backend_->logSoftmax(logits, targets.data(), count, vocab, logps, entropies, lse);
    for (Index i = 0; i < count; i++) {
      const Index position = first + local[i] + 1;
      if (logp != nullptr) {
        logp[position] = logps[i];
        entropy[position] = entropies[i];
      }
      if (loss != nullptr) lossGradient(batch, *loss, position, logps[i], entropies[i], gLogp[i], gEntropy[i], *sums);
    }
    if (loss == nullptr) continue;
    backend_->logSoftmaxBackward(logits, targets.data(), count, vocab, lse, entropies, gLogp, gEntropy);
    backend_->linearBackwardWeight(logits, normed, count, vocab, dim, gradients_.data() + offsets_.head);
    backend_->linearBackwardInput(logits, count, matrix, dNormed, false);
    backend_->zero(dHidden, count * dim);
    backend_->rmsNormBackward(dNormed, hidden, weights_.data() + offsets_.finalNorm, rstd, count, dim, dHidden,
                              gradients_.data() + offsets_.finalNorm);
    backend_->scatterAdd(dHidden, local, count, dim, transformer_.outputGradient());
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
  require(std::isfinite(loss.normalizer) && loss.normalizer > 0, "loss: normalizer must be a positive number");
  require(loss.tisCap <= 0.0 || !batch.rolloutLogp.empty(), "loss: tisCap needs rolloutLogp in the batch");
  LossStats sums;
  std::vector<std::int32_t> rows;
  try {
    forEachChunk(batch, cancel, [&](Index first, const Sequences& sequences) {
      rows.clear();
      for (Index i = 1; i < sequences.tokens; i++) {
        if (batch.lossMask[static_cast<std::size_t>(first + i)] != 0) rows.push_back(static_cast<std::int32_t>(i - 1));
      }
      if (rows.empty()) return;
      const std::int32_t* tokens = batch.tokens.data() + first;
      transformer_.forward(weights_.data(), tokens, sequences, cancel);
      backend_->zero(transformer_.outputGradient(), sequences.tokens * config_.dim);
      headPass(batch, first, rows, &loss, &sums, nullptr, nullptr);
      balanceLoss(batch, first, sequences, loss, sums);
      transformer_.backward(weights_.data(), gradients_.data(), tokens, sequences, cancel);
    });
  } catch (...) {
    backend_->zero(gradients_.data(), layout_.total());
    throw;
  }
  const double masked = std::max(sums.tokens, 1.0);
  sums.loss /= loss.normalizer;
  for (double* mean : {&sums.entropy, &sums.clipFraction, &sums.balance, &sums.klOld}) *mean /= masked;
  return sums;
}

void Learner::logprobs(const Batch& batch, float* logp, float* entropy, const Cancel& cancel) {
  validate(batch, false);
  std::fill(logp, logp + batch.tokens.size(), 0.0f);
  std::fill(entropy, entropy + batch.tokens.size(), 0.0f);
  std::vector<std::int32_t> rows;
  forEachChunk(batch, cancel, [&](Index first, const Sequences& sequences) {
    rows.clear();
    for (Index i = 0; i < sequences.count; i++) {
      for (std::int32_t row = sequences.starts[i]; row + 1 < sequences.starts[i + 1]; row++) rows.push_back(row);
    }
    if (rows.empty()) return;
    transformer_.forward(weights_.data(), batch.tokens.data() + first, sequences, cancel);
    headPass(batch, first, rows, nullptr, nullptr, logp, entropy);
  });
}

std::vector<float> Learner::logits(const std::vector<std::int32_t>& tokens, const Cancel& cancel) {
  const std::vector<std::int32_t> starts = {0, static_cast<std::int32_t>(tokens.size())};
  validate({tokens, starts, {}, {}, {}, {}}, false);
  const Index rows = starts[1], dim = config_.dim, vocab = config_.vocabSize;
  std::vector<float> result(static_cast<std::size_t>(rows * vocab));
  if (rows == 0) return result;
  const float* hidden = transformer_.forward(weights_.data(), tokens.data(), {starts.data(), 1, rows}, cancel);
  float* normed = head_.reserve(rows * dim);
  backend_->rmsNorm(hidden, weights_.data() + offsets_.finalNorm, rows, dim, config_.normEps, normed, nullptr);
  backend_->linear(normed, rows, {weights_.data() + offsets_.head, nullptr, vocab, dim}, result.data(), false);
  return result;
}

void Learner::allReduceGradients(Collective& collective, const Cancel& cancel) {
  try {
    collective.allReduce(gradients_.data(), layout_.total(), cancel);
  } catch (...) {
    backend_->zero(gradients_.data(), layout_.total());
    throw;
  }
}

StepResult Learner::optimStep(const AdamwOptions& options) {
  const auto inUnit = [](double beta) { return beta >= 0.0 && beta < 1.0; };
  require(std::isfinite(options.lr) && options.lr >= 0, "optimStep: lr must be a finite number, not negative");
  require(inUnit(options.beta1) && inUnit(options.beta2), "optimStep: beta1 and beta2 must lie in [0, 1)");
  require(options.eps > 0 && options.weightDecay >= 0 && options.maxGradNorm >= 0,
          "optimStep: eps must be positive; weightDecay and maxGradNorm not negative");
  StepResult result;
  double squares = 0.0;
  const std::string* broken = nullptr;
  for (const Parameter& p : layout_.all()) {
    const double part = backend_->squaredNorm(gradients_.data() + p.offset, p.size);
    if (!std::isfinite(part) && broken == nullptr) broken = &p.name;
    squares += part;
  }
  result.gradNorm = std::sqrt(squares);
  if (broken != nullptr) {
    result.skipped = true;
    result.reason = "the gradient of " + *broken + " is not finite (norm " + shortest(result.gradNorm) + ")";
  } else {
    const bool clip = options.maxGradNorm > 0.0 && result.gradNorm > options.maxGradNorm;
    const double scale = clip ? options.maxGradNorm / (result.gradNorm + 1e-6) : 1.0;
    steps_++;
    for (const Parameter& p : layout_.all()) {
      const double decay = p.shape.size() > 1 ? options.weightDecay : 0.0;
      backend_->adamw(weights_.data() + p.offset, gradients_.data() + p.offset, first_.data() + p.offset,
                      second_.data() + p.offset, p.size, options, steps_, decay, scale);
    }
  }
  backend_->zero(gradients_.data(), layout_.total());
  return result;
}

}  // namespace actors
