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
}

void ParameterLayout::add(std::string name, std::vector<Index> shape) {
  Index size = 1;
  for (const Index extent : shape) size *= extent;
  parameters_.push_back({std::move(name), std::move(shape), total_, size});
  total_ += size;
}

ParameterLayout::ParameterLayout(const ModelConfig& c) {
  add("model.embed_tokens.weight", {c.vocabSize, c.dim});
  for (Index layer = 0; layer < c.layers; layer++) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    add(prefix + "input_layernorm.weight", {c.dim});
    add(prefix + "self_attn.q_proj.weight", {c.queryDim(), c.dim});
    add(prefix + "self_attn.k_proj.weight", {c.kvDim(), c.dim});
    add(prefix + "self_attn.v_proj.weight", {c.kvDim(), c.dim});
    add(prefix + "self_attn.o_proj.weight", {c.dim, c.queryDim()});
    add(prefix + "post_attention_layernorm.weight", {c.dim});
    add(prefix + "mlp.gate_proj.weight", {c.ffnDim, c.dim});
    add(prefix + "mlp.up_proj.weight", {c.ffnDim, c.dim});
    add(prefix + "mlp.down_proj.weight", {c.dim, c.ffnDim});
  }
  add("model.norm.weight", {c.dim});
  if (!c.tiedEmbeddings) add("lm_head.weight", {c.vocabSize, c.dim});
}

const Parameter* ParameterLayout::find(const std::string& name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

ModelOffsets::ModelOffsets(const ModelConfig& config, const ParameterLayout& layout) {
  constexpr std::size_t perLayer = 9;
  const auto& all = layout.all();
  embedding = all[0].offset;
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(config.layers); layer++) {
    const Parameter* p = &all[1 + layer * perLayer];
    layers.push_back({p[0].offset, p[1].offset, p[4].offset, p[5].offset, p[6].offset, p[8].offset});
  }
  const std::size_t tail = 1 + static_cast<std::size_t>(config.layers) * perLayer;
  finalNorm = all[tail].offset;
  head = config.tiedEmbeddings ? embedding : all[tail + 1].offset;
}

RopeTable::RopeTable(const ModelConfig& config) {
  // Frequencies and angles are rounded to fp32 where transformers rounds them, so that long positions agree too.
  const Index half = config.headDim / 2;
  cosine.resize(static_cast<std::size_t>(config.maxSeqLen * half));
  sine.resize(cosine.size());
  for (Index pair = 0; pair < half; pair++) {
    const float exponent = static_cast<float>(2 * pair) / static_cast<float>(config.headDim);
    const float frequency = 1.0f / static_cast<float>(std::pow(config.ropeTheta, static_cast<double>(exponent)));
    for (Index position = 0; position < config.maxSeqLen; position++) {
      const float angle = static_cast<float>(position) * frequency;
      cosine[static_cast<std::size_t>(position * half + pair)] =
          static_cast<float>(std::cos(static_cast<double>(angle)));
      sine[static_cast<std::size_t>(position * half + pair)] = static_cast<float>(std::sin(static_cast<double>(angle)));
    }
  }
}

}  // namespace actors
