#include "model_runner.h"

#include <algorithm>

namespace actors {

ModelRunner::ModelRunner(const ModelConfig& config, int threads, Index maxRows, Index maxLogits)
    : config_(config),
      shape_{config.heads, config.kvHeads, config.headDim},
      rope_(config),
      backend_(makeCpuBackend(threads)),
      expertMlp_(*backend_, config),
      maxRows_(maxRows),
      maxLogits_(maxLogits) {}

float* ModelRunner::forward(const EngineWeights& weights, const StepRows& step, const Cancel& cancel) {
  const ModelConfig& c = config_;
  const Index rows = static_cast<Index>(step.rows.size()), wanted = static_cast<Index>(step.logitRows.size());
  const Index mlp = c.sparse() ? expertMlp_.savedFloats() : 3 * c.ffnDim;
  float* x = workspace_.reserve(maxRows_ * (2 * c.dim + c.qkvDim() + c.queryDim() + mlp));
  float *normed = x + maxRows_ * c.dim, *qkv = normed + maxRows_ * c.dim, *attention = qkv + maxRows_ * c.qkvDim();
  float* scratch = attention + maxRows_ * c.queryDim();

  rope_.cover(1 + *std::max_element(step.positions.begin(), step.positions.end()));
  backend_->gather(weights.embedding(), step.tokens.data(), rows, c.dim, x);
  Index layerOffset = 0;
  for (const EngineLayer& layer : weights.layers()) {
    cancel.check();
    backend_->rmsNorm(x, layer.attentionNorm, rows, c.dim, c.normEps, normed, nullptr);
    backend_->linear(normed, rows, layer.qkv, qkv, false);
    if (c.qkvBias) backend_->addBias(qkv, layer.qkvBias, rows, c.qkvDim());
    if (c.qkNorm) backend_->headNorm(qkv, {layer.queryNorm, layer.keyNorm, c.normEps}, rows, shape_, qkv);
    backend_->rope(qkv, rows, shape_, step.positions.data(), rope_, false);
    backend_->cacheWrite(qkv, step.rows.data(), rows, shape_, layerOffset);
    backend_->cacheAttention(qkv, step.rows.data(), rows, shape_, layerOffset, attention);
    backend_->linear(attention, rows, layer.output, x, true);
    backend_->rmsNorm(x, layer.mlpNorm, rows, c.dim, c.normEps, normed, nullptr);
    mlpForward(layer, normed, rows, scratch, x);
    layerOffset += layerFloats();
  }
  float* logits = logits_.reserve(maxLogits_ * c.vocabSize);
  if (wanted == 0) return logits;
  backend_->gather(x, step.logitRows.data(), wanted, c.dim, normed);
  backend_->rmsNorm(normed, weights.finalNorm(), wanted, c.dim, c.normEps, normed, nullptr);
  backend_->linear(normed, wanted, weights.head(), logits, false);
  return logits;
}

/// out [rows, dim] += the layer's MLP of x.
void ModelRunner::mlpForward(const EngineLayer& layer, const float* x, Index rows, float* scratch, float* out) {
  const Index ffn = config_.ffnDim;
  if (config_.sparse()) {
    routed_.probabilities = scratch;
    routed_.weights = scratch + maxRows_ * config_.experts.count;
    routed_.gateUp = routed_.weights + maxRows_ * config_.experts.active;
    expertMlp_.forward(x, rows, layer.experts, routed_, out);
    return;
  }
  float* act = scratch + maxRows_ * 2 * ffn;
  backend_->linear(x, rows, layer.gateUp, scratch, false);
  backend_->swiglu(scratch, rows, ffn, act);
  backend_->linear(act, rows, layer.down, out, true);
}

}  // namespace actors
