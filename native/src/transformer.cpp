#include "actors/transformer.h"

#include <algorithm>
#include <cstring>

namespace actors {

Transformer::Transformer(Backend& backend, const ModelConfig& config, const ModelOffsets& offsets)
    : backend_(backend),
      config_(config),
      offsets_(offsets),
      shape_{config.heads, config.kvHeads, config.headDim},
      rope_(config) {}

void Transformer::reserve(Index tokens) {
  if (tokens <= capacity_) return;
  const ModelConfig& c = config_;
  const Index savedFloats = 2 * c.dim + 2 + c.qkvDim() + c.heads + c.queryDim() + 2 * c.ffnDim;
  const Index sharedFloats = 4 * c.dim + c.ffnDim + c.ffnDim + 2 * c.ffnDim + c.queryDim() + c.qkvDim();
  constexpr Index pieces = 9;  // at most, a layer and shared: room for each to start on a cache line
  float* next =
      memory_.reserve(tokens * (c.layers * savedFloats + sharedFloats) + (c.layers + 1) * pieces * aligned(1));
  const auto take = [&](Index floats) {
    float* piece = next;
    next += aligned(tokens * floats);
    return piece;
  };
  saved_.clear();
  for (Index layer = 0; layer < c.layers; layer++) {
    Saved s;
    s.input = take(c.dim);
    s.rstd1 = take(1);
    s.qkv = take(c.qkvDim());
    s.lse = take(c.heads);
    s.attention = take(c.queryDim());
    s.middle = take(c.dim);
    s.rstd2 = take(1);
    s.gateUp = take(2 * c.ffnDim);
    saved_.push_back(s);
  }
  output_ = take(c.dim);
  normed_ = take(c.dim);
  act_ = take(c.ffnDim);
  dX_ = take(c.dim);
  dNormed_ = take(c.dim);
  dAct_ = take(c.ffnDim);
  dGateUp_ = take(2 * c.ffnDim);
  dAttention_ = take(c.queryDim());
  dQkv_ = take(c.qkvDim());
  capacity_ = tokens;
}

const float* Transformer::forward(const float* weights, const std::int32_t* tokens, const Sequences& sequences,
                                  const Cancel& cancel) {
  reserve(sequences.tokens);
  positions_.resize(static_cast<std::size_t>(sequences.tokens));
  for (Index i = 0; i < sequences.count; i++) {
    for (std::int32_t row = sequences.starts[i]; row < sequences.starts[i + 1]; row++) {
      positions_[static_cast<std::size_t>(row)] = row - sequences.starts[i];
    }
  }
  backend_.embed(weights + offsets_.embedding, tokens, sequences.tokens, config_.dim, saved_[0].input);
  for (std::size_t layer = 0; layer < saved_.size(); layer++) {
    cancel.check();
    float* output = layer + 1 < saved_.size() ? saved_[layer + 1].input : output_;
    layerForward(weights, offsets_.layers[layer], saved_[layer], sequences, output);
  }
  return output_;
}

void Transformer::layerForward(const float* weights, const LayerOffsets& at, const Saved& s, const Sequences& sequences,
                               float* output) {
  const Index rows = sequences.tokens, dim = config_.dim, ffn = config_.ffnDim;
  const std::size_t bytes = static_cast<std::size_t>(rows * dim) * sizeof(float);
  backend_.rmsNorm(s.input, weights + at.attentionNorm, rows, dim, config_.normEps, normed_, s.rstd1);
  backend_.linear(normed_, rows, {weights + at.qkv, nullptr, shape_.rowDim(), dim}, s.qkv, false);
  backend_.rope(s.qkv, rows, shape_, positions_.data(), rope_, false);
  backend_.attention(s.qkv, sequences, shape_, s.attention, s.lse);
  std::memcpy(s.middle, s.input, bytes);
  backend_.linear(s.attention, rows, {weights + at.output, nullptr, dim, shape_.queryDim()}, s.middle, true);

  backend_.rmsNorm(s.middle, weights + at.mlpNorm, rows, dim, config_.normEps, normed_, s.rstd2);
  backend_.linear(normed_, rows, {weights + at.gateUp, nullptr, 2 * ffn, dim}, s.gateUp, false);
  backend_.swiglu(s.gateUp, rows, ffn, act_);
  std::memcpy(output, s.middle, bytes);
  backend_.linear(act_, rows, {weights + at.down, nullptr, dim, ffn}, output, true);
}

void Transformer::backward(const float* weights, float* gradients, const std::int32_t* tokens,
                           const Sequences& sequences, const Cancel& cancel) {
  for (std::size_t layer = saved_.size(); layer-- > 0;) {
    cancel.check();
    layerBackward(weights, gradients, offsets_.layers[layer], saved_[layer], sequences);
  }
  backend_.embedBackward(dX_, tokens, sequences.tokens, config_.dim, gradients + offsets_.embedding);
}

void Transformer::layerBackward(const float* weights, float* gradients, const LayerOffsets& at, const Saved& s,
                                const Sequences& sequences) {
  const Index rows = sequences.tokens, dim = config_.dim, ffn = config_.ffnDim;
  // dX_ holds the gradient of the layer's output and becomes that of its input: residual paths add in place.
  backend_.swiglu(s.gateUp, rows, ffn, act_);
  backend_.linearBackwardWeight(dX_, act_, rows, dim, ffn, gradients + at.down);
  backend_.linearBackwardInput(dX_, rows, {weights + at.down, nullptr, dim, ffn}, dAct_, false);
  backend_.swigluBackward(s.gateUp, dAct_, rows, ffn, dGateUp_);
  backend_.rmsNorm(s.middle, weights + at.mlpNorm, rows, dim, config_.normEps, normed_, nullptr);
  backend_.linearBackwardWeight(dGateUp_, normed_, rows, 2 * ffn, dim, gradients + at.gateUp);
  backend_.linearBackwardInput(dGateUp_, rows, {weights + at.gateUp, nullptr, 2 * ffn, dim}, dNormed_, false);
  backend_.rmsNormBackward(dNormed_, s.middle, weights + at.mlpNorm, s.rstd2, rows, dim, dX_, gradients + at.mlpNorm);

  backend_.linearBackwardWeight(dX_, s.attention, rows, dim, shape_.queryDim(), gradients + at.output);
  backend_.linearBackwardInput(dX_, rows, {weights + at.output, nullptr, dim, shape_.queryDim()}, dAttention_, false);
  backend_.attentionBackward(s.qkv, s.lse, dAttention_, sequences, shape_, dQkv_);
  backend_.rope(dQkv_, rows, shape_, positions_.data(), rope_, true);
  backend_.rmsNorm(s.input, weights + at.attentionNorm, rows, dim, config_.normEps, normed_, nullptr);
  backend_.linearBackwardWeight(dQkv_, normed_, rows, shape_.rowDim(), dim, gradients + at.qkv);
  backend_.linearBackwardInput(dQkv_, rows, {weights + at.qkv, nullptr, shape_.rowDim(), dim}, dNormed_, false);
  backend_.rmsNormBackward(dNormed_, s.input, weights + at.attentionNorm, s.rstd1, rows, dim, dX_,
                           gradients + at.attentionNorm);
}

}  // namespace actors
