#include "actors/head.h"

#include <algorithm>

namespace actors {

OutputHead::OutputHead(Backend& backend, const ModelConfig& config, const ModelOffsets& offsets)
    : backend_(backend), config_(config), offsets_(offsets), memory_(backend.memory()) {}

void OutputHead::reserve(Index rows) {
  const Index dim = config_.dim, width = config_.outputs();
  block_ = std::min(rows, std::max<Index>(32, backend_.logitFloats() / width));
  logps_ = memory_.reserve(4 * rows + block_ * (width + 4 * dim + 2));
  entropies_ = logps_ + rows;
  gLogps_ = entropies_ + rows;
  gEntropies_ = gLogps_ + rows;
  for (auto* values : {&logp_, &entropy_, &gLogp_, &gEntropy_}) values->resize(static_cast<std::size_t>(rows));
  hidden_ = gEntropies_ + rows;
  normed_ = hidden_ + block_ * dim;
  dNormed_ = normed_ + block_ * dim;
  dRows_ = dNormed_ + block_ * dim;
  rstd_ = dRows_ + block_ * dim;
  lse_ = rstd_ + block_;
  logits_ = lse_ + block_;
}

void OutputHead::predict(const float* weights, const HeadRows& rows, Index from, Index count) {
  const Index dim = config_.dim, width = config_.outputs();
  backend_.gather(rows.hidden, rows.rows.data() + from, count, dim, hidden_);
  backend_.rmsNorm(hidden_, weights + offsets_.finalNorm, count, dim, config_.normEps, normed_, rstd_);
  backend_.linear(normed_, count, {weights + offsets_.head, nullptr, width, dim}, logits_, false);
  if (config_.valueHead) {
    backend_.copy(logits_, count, logps_ + from);
    backend_.zero(entropies_ + from, count);
  } else {
    backend_.logSoftmax(logits_, rows.targets.data() + from, count, width, logps_ + from, entropies_ + from, lse_);
  }
}

/// For the rows that were predicted last.
void OutputHead::backward(const float* weights, float* gradients, const HeadRows& rows, Index from, Index count,
                          float* dHidden) {
  const Index dim = config_.dim, width = config_.outputs();
  if (config_.valueHead) {
    backend_.copy(gLogps_ + from, count, logits_);
  } else {
    backend_.logSoftmaxBackward(logits_, rows.targets.data() + from, count, width, lse_, entropies_ + from,
                                gLogps_ + from, gEntropies_ + from);
  }
  backend_.linearBackwardWeight(logits_, normed_, count, width, dim, gradients + offsets_.head);
  backend_.linearBackwardInput(logits_, count, {weights + offsets_.head, nullptr, width, dim}, dNormed_, false);
  backend_.zero(dRows_, count * dim);
  backend_.rmsNormBackward(dNormed_, hidden_, weights + offsets_.finalNorm, rstd_, count, dim, dRows_,
                           gradients + offsets_.finalNorm);
  backend_.scatterAdd(dRows_, rows.rows.data() + from, count, dim, dHidden);
}

OutputHead::Predictions OutputHead::forward(const float* weights, const HeadRows& rows) {
  reserve(rows.count());
  for (Index from = 0; from < rows.count(); from += block_)
    predict(weights, rows, from, std::min(block_, rows.count() - from));
  backend_.download(logps_, rows.count(), logp_.data());
  backend_.download(entropies_, rows.count(), entropy_.data());
  return {logp_.data(), entropy_.data()};
}

void OutputHead::train(const float* weights, float* gradients, const HeadRows& rows, bool whole, const Grade& grade,
                       float* dHidden) {
  reserve(rows.count());
  const auto graded = [&](Index from, Index count) {
    backend_.download(logps_ + from, count, logp_.data() + from);
    backend_.download(entropies_ + from, count, entropy_.data() + from);
    grade(from, count, logp_.data() + from, entropy_.data() + from, gLogp_.data() + from, gEntropy_.data() + from);
    backend_.upload(gLogp_.data() + from, count, gLogps_ + from);
    backend_.upload(gEntropy_.data() + from, count, gEntropies_ + from);
  };
  const bool ahead = whole && rows.count() > block_;
  if (ahead) {
    forward(weights, rows);
    graded(0, rows.count());
  }
  for (Index from = 0; from < rows.count(); from += block_) {
    const Index count = std::min(block_, rows.count() - from);
    predict(weights, rows, from, count);
    if (!ahead) graded(from, count);
    backward(weights, gradients, rows, from, count, dHidden);
  }
}

}  // namespace actors
