#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace actors {

using Index = std::ptrdiff_t;

/// Shape of a decoder-only transformer of the Llama family: RMSNorm, rotary positions (half-rotation convention of
/// Hugging Face), grouped-query attention, SwiGLU, no biases.
struct ModelConfig {
  Index vocabSize = 0;
  Index dim = 0;
  Index layers = 0;
  Index heads = 0;
  Index kvHeads = 0;
  Index headDim = 0;
  Index ffnDim = 0;
  double ropeTheta = 10000.0;
  double normEps = 1e-6;
  bool tiedEmbeddings = false;
  Index maxSeqLen = 0;

  Index queryDim() const { return heads * headDim; }
  Index kvDim() const { return kvHeads * headDim; }
  Index qkvDim() const { return queryDim() + 2 * kvDim(); }

  /// Throws InvalidArgument naming the first field that makes no sense.
  void validate() const;
};

/// One named tensor inside the flat parameter buffer.
struct Parameter {
  std::string name;  ///< as transformers' LlamaForCausalLM names it
  std::vector<Index> shape;
  Index offset = 0;  ///< in floats
  Index size = 0;    ///< in floats
};

/// Where every parameter lies in one flat buffer. Projections that read the same input are adjacent (q, k, v; gate,
/// up), so that each group is one matrix and one multiplication.
class ParameterLayout {
 public:
  explicit ParameterLayout(const ModelConfig& config);

  const std::vector<Parameter>& all() const { return parameters_; }
  Index total() const { return total_; }
  const Parameter* find(const std::string& name) const;

 private:
  void add(std::string name, std::vector<Index> shape);

  std::vector<Parameter> parameters_;
  Index total_ = 0;
};

/// Offsets of one layer's matrices in the flat buffer.
struct LayerOffsets {
  Index attentionNorm, qkv, output, mlpNorm, gateUp, down;
};

/// Offsets of the whole model, derived from a layout once instead of by name in the hot path.
struct ModelOffsets {
  explicit ModelOffsets(const ModelConfig& config, const ParameterLayout& layout);

  Index embedding, finalNorm, head;  ///< head == embedding when the embeddings are tied
  std::vector<LayerOffsets> layers;
};

/// cos and sin of every (position, pair) of the rotary embedding: [maxSeqLen, headDim / 2] each.
struct RopeTable {
  explicit RopeTable(const ModelConfig& config);
  std::vector<float> cosine, sine;
};

}  // namespace actors
