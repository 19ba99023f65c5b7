#include "actors/model.h"

#include <cmath>

#include "actors/error.h"

namespace actors {

void ModelConfig::validate() const {
  const auto positive = [](Index value, const char* name) {
    require(value > 0 && value < (Index{1} << 31),
            std::string("model config: ") + name + " must be a positive integer, got " + std::to_string(value));
  };
  positive(vocabSize, "vocabSize");
  positive(dim, "dim");
  positive(layers, "layers");
  positive(heads, "heads");
  positive(kvHeads, "kvHeads");
  positive(headDim, "headDim");
  positive(ffnDim, "ffnDim");
  positive(maxSeqLen, "maxSeqLen");
  require(heads % kvHeads == 0, "model config: heads (" + std::to_string(heads) + ") must be a multiple of kvHeads (" +
                                    std::to_string(kvHeads) + ")");
  require(headDim % 2 == 0, "model config: headDim must be even for rotary positions, got " + std::to_string(headDim));
  require(std::isfinite(ropeTheta) && ropeTheta > 0, "model config: ropeTheta must be a positive number");
  require(std::isfinite(normEps) && normEps > 0, "model config: normEps must be a positive number");
  const RopeScaling& r = ropeScaling;
  require(r.factor == 1.0 || (std::isfinite(r.factor) && r.factor > 1.0 && r.lowFrequency > 0 &&
                              r.highFrequency > r.lowFrequency && r.originalLength > 0),
          "model config: ropeScaling needs factor > 1, 0 < lowFrequency < highFrequency and originalLength > 0");
  require(experts.count >= 0, "model config: experts.count must not be negative");
  require(!(qkvBias && qkNorm) && (!sparse() || qkNorm),
          "model config: qkvBias, qkNorm and experts go together as in Llama (none), Qwen2 (qkvBias), Qwen3 (qkNorm) or "
          "Qwen3-MoE (qkNorm and experts)");
  if (!sparse()) return;
  positive(experts.ffnDim, "experts.ffnDim");
  require(experts.active > 0 && experts.active <= experts.count,
          "model config: experts.active must lie between 1 and experts.count (" + std::to_string(experts.count) + ")");
}

void ParameterLayout::add(std::string name, std::vector<Index> shape) {
  Index size = 1;
  for (const Index extent : shape) size *= extent;
  byName_.emplace(name, parameters_.size());
  parameters_.push_back({std::move(name), std::move(shape), total_, size});
  total_ += size;
}

void ParameterLayout::addMlp(const std::string& prefix, Index ffn, Index dim) {
  add(prefix + "gate_proj.weight", {ffn, dim});
  add(prefix + "up_proj.weight", {ffn, dim});
  add(prefix + "down_proj.weight", {dim, ffn});
}

ParameterLayout::ParameterLayout(const ModelConfig& c) {
  add("model.embed_tokens.weight", {c.vocabSize, c.dim});
  for (Index layer = 0; layer < c.layers; layer++) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".", attention = prefix + "self_attn.";
    add(prefix + "input_layernorm.weight", {c.dim});
    add(attention + "q_proj.weight", {c.queryDim(), c.dim});
    add(attention + "k_proj.weight", {c.kvDim(), c.dim});
    add(attention + "v_proj.weight", {c.kvDim(), c.dim});
    if (c.qkvBias) {
      add(attention + "q_proj.bias", {c.queryDim()});
      add(attention + "k_proj.bias", {c.kvDim()});
      add(attention + "v_proj.bias", {c.kvDim()});
    }
    if (c.qkNorm) {
      add(attention + "q_norm.weight", {c.headDim});
      add(attention + "k_norm.weight", {c.headDim});
    }
    add(attention + "o_proj.weight", {c.dim, c.queryDim()});
    add(prefix + "post_attention_layernorm.weight", {c.dim});
    if (c.sparse()) {
      add(prefix + "mlp.gate.weight", {c.experts.count, c.dim});
      for (Index e = 0; e < c.experts.count; e++)
        addMlp(prefix + "mlp.experts." + std::to_string(e) + ".", c.experts.ffnDim, c.dim);
    } else {
      addMlp(prefix + "mlp.", c.ffnDim, c.dim);
    }
  }
  add("model.norm.weight", {c.dim});
  if (c.valueHead) add(valueHeadName, {1, c.dim});
  else if (!c.tiedEmbeddings) add("lm_head.weight", {c.vocabSize, c.dim});
}

const Parameter* ParameterLayout::find(const std::string& name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : &parameters_[found->second];
}

ModelOffsets::ModelOffsets(const ModelConfig& config, const ParameterLayout& layout) {
  const auto at = [&](const std::string& name) {
    const Parameter* parameter = layout.find(name);
    return parameter == nullptr ? Index{-1} : parameter->offset;
  };
  embedding = at("model.embed_tokens.weight");
  for (Index layer = 0; layer < config.layers; layer++) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".", attention = prefix + "self_attn.";
    const std::string mlp = prefix + (config.sparse() ? "mlp.experts.0." : "mlp.");
    layers.push_back({at(prefix + "input_layernorm.weight"), at(attention + "q_proj.weight"),
                      at(attention + "q_proj.bias"), at(attention + "q_norm.weight"), at(attention + "k_norm.weight"),
                      at(attention + "o_proj.weight"), at(prefix + "post_attention_layernorm.weight"),
                      at(prefix + "mlp.gate.weight"), at(mlp + "gate_proj.weight"), at(mlp + "down_proj.weight"),
                      3 * config.experts.ffnDim * config.dim});
  }
  finalNorm = at("model.norm.weight");
  head = config.valueHead ? at(valueHeadName) : config.tiedEmbeddings ? embedding : at("lm_head.weight");
}

}  // namespace actors
