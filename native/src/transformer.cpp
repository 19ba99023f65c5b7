#include "actors/transformer.h"

#include <algorithm>

namespace actors {

Transformer::Transformer(Backend& backend, const ModelConfig& config, const ModelOffsets& offsets)
    : backend_(backend),
      config_(config),
      offsets_(offsets),
      shape_{config.heads, config.kvHeads, config.headDim},
      rope_(config),
      expertMlp_(backend, config),
      memory_(backend.memory()),
      balance_(backend.memory()) {}

void Transformer::recompute(bool on) {
  recompute_ = on;
  capacity_ = 0;
}

void Transformer::reserve(Index tokens) {
  if (tokens <= capacity_) return;
  const ModelConfig& c = config_;
  const Index ffn = c.sparse() ? 0 : c.ffnDim;
  // Of each layer; the rest of what is saved, of each too or of the layer at hand.
  const Index keptFloats = c.dim + (c.sparse() ? c.experts.count + c.experts.active : 0);
  const Index gateUp = 2 * (c.sparse() ? c.experts.active * c.experts.ffnDim : ffn);
  const Index restFloats = c.dim + 2 + c.qkvDim() + c.heads + c.queryDim() + gateUp;
  const Index rests = recompute_ ? 1 : c.layers;
  const Index sharedFloats = 4 * c.dim + 4 * ffn + c.queryDim() + c.qkvDim() + (c.qkNorm ? c.qkvDim() : 0);
  constexpr Index pieces = 10;  // at most, a layer and shared: room for each to start on a cache line
  float* next = memory_.reserve(tokens * (c.layers * keptFloats + rests * restFloats + sharedFloats) +
                                (c.layers + 1) * pieces * aligned(1));
  const auto take = [&](Index floats) {
    float* piece = next;
    next += aligned(tokens * floats);
    return piece;
  };
  saved_.clear();
  Saved rest{};
  for (Index layer = 0; layer < c.layers; layer++) {
    if (layer < rests) {
      rest.rstd1 = take(1);
      rest.qkv = take(c.qkvDim());
      rest.lse = take(c.heads);
      rest.attention = take(c.queryDim());
      rest.middle = take(c.dim);
      rest.rstd2 = take(1);
      rest.gateUp = rest.experts.gateUp = take(gateUp);
    }
    Saved s = rest;
    s.input = take(c.dim);
    if (c.sparse()) {
      s.experts.probabilities = take(c.experts.count);
      s.experts.weights = take(c.experts.active);
    }
    saved_.push_back(std::move(s));
  }
  output_ = take(c.dim);
  normed_ = take(c.dim);
  if (c.qkNorm) rotated_ = take(c.qkvDim());
  act_ = take(ffn);
  dX_ = take(c.dim);
  dNormed_ = take(c.dim);
  dAct_ = take(ffn);
  dGateUp_ = take(2 * ffn);
  dAttention_ = take(c.queryDim());
  dQkv_ = take(c.qkvDim());
  capacity_ = tokens;
}

const float* Transformer::forward(const float* weights, const std::int32_t* tokens, const Sequences& sequences,
                                  const Cancel& cancel) {
  reserve(sequences.tokens);
  positions_.resize(static_cast<std::size_t>(sequences.tokens));
  std::int32_t longest = 0;
  for (Index i = 0; i < sequences.count; i++) {
    longest = std::max(longest, sequences.starts[i + 1] - sequences.starts[i]);
    for (std::int32_t row = sequences.starts[i]; row < sequences.starts[i + 1]; row++) {
      positions_[static_cast<std::size_t>(row)] = row - sequences.starts[i];
    }
  }
  rope_.cover(longest);
  balanced_ = false;
  backend_.gather(weights + offsets_.embedding, tokens, sequences.tokens, config_.dim, saved_[0].input);
  for (std::size_t layer = 0; layer < saved_.size(); layer++) {
    cancel.check();
    float* output = layer + 1 < saved_.size() ? saved_[layer + 1].input : output_;
    layerForward(weights, offsets_.layers[layer], saved_[layer], sequences, output);
  }
  return output_;
}

/// What attention reads. With head norms the rows before them are kept, being what their backward pass needs, and the
/// rotated ones are made again then.
const float* Transformer::rotatedQkv(const float* weights, const LayerOffsets& at, float* qkv, Index rows) {
  float* rotated = qkv;
  if (config_.qkNorm) {
    rotated = rotated_;
    const HeadNorm norm{weights + at.queryNorm, weights + at.keyNorm, config_.normEps};
    backend_.headNorm(qkv, norm, rows, shape_, rotated);
  }
  backend_.rope(rotated, rows, shape_, positions_.data(), rope_, false);
  return rotated;
}

ExpertWeights Transformer::expertWeights(const float* weights, const LayerOffsets& at) const {
  const Index dim = config_.dim, ffn = config_.experts.ffnDim;
  ExpertWeights w{{weights + at.router, nullptr, config_.experts.count, dim}, {}, {}};
  for (Index e = 0; e < config_.experts.count; e++) {
    w.gateUp.push_back({weights + at.gateUp + e * at.expertStride, nullptr, 2 * ffn, dim});
    w.down.push_back({weights + at.down + e * at.expertStride, nullptr, dim, ffn});
  }
  return w;
}

/// With no output, only what the layer's backward pass needs.
void Transformer::layerForward(const float* weights, const LayerOffsets& at, Saved& s, const Sequences& sequences,
                               float* output) {
  const Index rows = sequences.tokens, dim = config_.dim, ffn = config_.ffnDim;
  backend_.rmsNorm(s.input, weights + at.attentionNorm, rows, dim, config_.normEps, normed_, s.rstd1);
  backend_.linear(normed_, rows, {weights + at.qkv, nullptr, shape_.rowDim(), dim}, s.qkv, false);
  if (config_.qkvBias) backend_.addBias(s.qkv, weights + at.qkvBias, rows, shape_.rowDim());
  backend_.attention(rotatedQkv(weights, at, s.qkv, rows), sequences, shape_, s.attention, s.lse);
  backend_.copy(s.input, rows * dim, s.middle);
  backend_.linear(s.attention, rows, {weights + at.output, nullptr, dim, shape_.queryDim()}, s.middle, true);

  backend_.rmsNorm(s.middle, weights + at.mlpNorm, rows, dim, config_.normEps, normed_, s.rstd2);
  if (output != nullptr) backend_.copy(s.middle, rows * dim, output);
  if (config_.sparse()) {
    expertMlp_.forward(normed_, rows, expertWeights(weights, at), s.experts, output);
    return;
  }
  backend_.linear(normed_, rows, {weights + at.gateUp, nullptr, 2 * ffn, dim}, s.gateUp, false);
  if (output == nullptr) return;
  backend_.swiglu(s.gateUp, rows, ffn, act_);
  backend_.linear(act_, rows, {weights + at.down, nullptr, dim, ffn}, output, true);
}

std::vector<double> Transformer::balance(const Sequences& sequences, const std::vector<double>& scales) {
  const Index experts = config_.experts.count;
  const auto width = static_cast<std::size_t>(experts);
  std::vector<double> values;
  std::vector<float> mass(width), gradient(static_cast<std::size_t>(sequences.count) * width);
  float* onBackend = balance_.reserve((sequences.count + 1) * experts);
  float* summed = onBackend + sequences.count * experts;
  for (Index i = 0; i < sequences.count; i++) {
    const Index first = sequences.starts[i], rows = sequences.starts[i + 1] - first;
    std::vector<double> choices(width, 0.0);
    backend_.zero(summed, experts);
    for (const Saved& s : saved_) {
      backend_.sumRows(s.experts.probabilities + first * experts, rows, experts, summed);
      const auto* chosen = s.experts.routing.chosen.data() + first * config_.experts.active;
      for (Index place = 0; place < rows * config_.experts.active; place++)
        choices[static_cast<std::size_t>(chosen[place])] += 1.0;
    }
    backend_.download(summed, experts, mass.data());
    const double seen = static_cast<double>(std::max<Index>(rows, 1) * config_.layers);
    double value = 0.0;
    for (std::size_t e = 0; e < width; e++) {
      const double share = static_cast<double>(experts) * choices[e] / seen;
      value += share * static_cast<double>(mass[e]) / seen;
      const auto sequence = static_cast<std::size_t>(i);
      gradient[sequence * width + e] = static_cast<float>(scales[sequence] * share / seen);
    }
    values.push_back(value);
  }
  backend_.upload(gradient.data(), sequences.count * experts, onBackend);
  balanced_ = true;
  return values;
}

void Transformer::backward(const float* weights, float* gradients, const std::int32_t* tokens,
                           const Sequences& sequences, const Cancel& cancel) {
  // dX_ holds the gradient of a layer's output and becomes that of its input: residual paths add in place.
  for (std::size_t layer = saved_.size(); layer-- > 0;) {
    cancel.check();
    // The last layer's is still there.
    if (recompute_ && layer + 1 < saved_.size())
      layerForward(weights, offsets_.layers[layer], saved_[layer], sequences, nullptr);
    mlpBackward(weights, gradients, offsets_.layers[layer], saved_[layer], sequences);
    attentionBackward(weights, gradients, offsets_.layers[layer], saved_[layer], sequences);
  }
  backend_.scatterAdd(dX_, tokens, sequences.tokens, config_.dim, gradients + offsets_.embedding);
}

void Transformer::mlpBackward(const float* weights, float* gradients, const LayerOffsets& at, const Saved& s,
                              const Sequences& sequences) {
  const Index rows = sequences.tokens, dim = config_.dim, ffn = config_.ffnDim;
  backend_.rmsNorm(s.middle, weights + at.mlpNorm, rows, dim, config_.normEps, normed_, nullptr);
  if (config_.sparse()) {
    const ExpertGradients into{gradients + at.router, gradients + at.gateUp, gradients + at.down, at.expertStride};
    expertMlp_.backward(dX_, normed_, sequences, expertWeights(weights, at), s.experts,
                        balanced_ ? balance_.data() : nullptr, into, dNormed_);
  } else {
    backend_.swiglu(s.gateUp, rows, ffn, act_);
    backend_.linearBackwardWeight(dX_, act_, rows, dim, ffn, gradients + at.down);
    backend_.linearBackwardInput(dX_, rows, {weights + at.down, nullptr, dim, ffn}, dAct_, false);
    backend_.swigluBackward(s.gateUp, dAct_, rows, ffn, dGateUp_);
    backend_.linearBackwardWeight(dGateUp_, normed_, rows, 2 * ffn, dim, gradients + at.gateUp);
    backend_.linearBackwardInput(dGateUp_, rows, {weights + at.gateUp, nullptr, 2 * ffn, dim}, dNormed_, false);
  }
  backend_.rmsNormBackward(dNormed_, s.middle, weights + at.mlpNorm, s.rstd2, rows, dim, dX_, gradients + at.mlpNorm);
}

void Transformer::attentionBackward(const float* weights, float* gradients, const LayerOffsets& at, const Saved& s,
                                    const Sequences& sequences) {
  const Index rows = sequences.tokens, dim = config_.dim, width = shape_.rowDim();
  backend_.linearBackwardWeight(dX_, s.attention, rows, dim, shape_.queryDim(), gradients + at.output);
  backend_.linearBackwardInput(dX_, rows, {weights + at.output, nullptr, dim, shape_.queryDim()}, dAttention_, false);
  const float* rotated = config_.qkNorm ? rotatedQkv(weights, at, s.qkv, rows) : s.qkv;
  backend_.attentionBackward(rotated, s.attention, s.lse, dAttention_, sequences, shape_, dQkv_);
  backend_.rope(dQkv_, rows, shape_, positions_.data(), rope_, true);
  if (config_.qkNorm) {
    const HeadNorm norm{weights + at.queryNorm, weights + at.keyNorm, config_.normEps};
    backend_.headNormBackward(s.qkv, norm, rows, shape_, dQkv_, gradients + at.queryNorm, gradients + at.keyNorm);
  }
  if (config_.qkvBias) backend_.sumRows(dQkv_, rows, width, gradients + at.qkvBias);
  backend_.rmsNorm(s.input, weights + at.attentionNorm, rows, dim, config_.normEps, normed_, nullptr);
  backend_.linearBackwardWeight(dQkv_, normed_, rows, width, dim, gradients + at.qkv);
  backend_.linearBackwardInput(dQkv_, rows, {weights + at.qkv, nullptr, width, dim}, dNormed_, false);
  backend_.rmsNormBackward(dNormed_, s.input, weights + at.attentionNorm, s.rstd1, rows, dim, dX_,
                           gradients + at.attentionNorm);
}

}  // namespace actors
