#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace actors {

using Index = std::ptrdiff_t;

/// Llama 3.1's stretched rotary wavelengths: those longer than originalLength / lowFrequency turn `factor` times slower,
/// those shorter than originalLength / highFrequency as before, those between by a blend of both.
struct RopeScaling {
  double factor = 1.0;  ///< 1: none
  double lowFrequency = 1.0, highFrequency = 4.0;
  Index originalLength = 0;  ///< positions the model saw before it was stretched
};

/// A sparse MLP (Shazeer et al. 2017): each token goes to the `active` experts its router finds likeliest, and their
/// outputs are summed with the router's probabilities as weights.
struct Experts {
  Index count = 0;  ///< 0: the MLP is dense
  Index active = 0;
  Index ffnDim = 0;         ///< of one expert
  bool normalized = false;  ///< the weights of the chosen experts are made to sum to 1
};

/// Shape of a decoder-only transformer: RMSNorm, rotary positions (half-rotation convention of Hugging Face),
/// grouped-query attention, SwiGLU. The defaults are Llama; the switches below make it Qwen2, Qwen3 or Qwen3-MoE.
struct ModelConfig {
  Index vocabSize = 0;
  Index dim = 0;
  Index layers = 0;
  Index heads = 0;
  Index kvHeads = 0;
  Index headDim = 0;
  Index ffnDim = 0;  ///< of the dense MLP
  double ropeTheta = 10000.0;
  double normEps = 1e-6;
  bool tiedEmbeddings = false;
  Index maxSeqLen = 0;
  bool qkvBias = false;  ///< Qwen2: biases on the query, key and value projections
  bool qkNorm = false;   ///< Qwen3: every query and key head is RMS-normalised before rotation
  RopeScaling ropeScaling;
  Experts experts;
  bool valueHead = false;  ///< a critic: one number a position in place of the distribution over the next token

  /// Numbers that the head gives a position.
  Index outputs() const { return valueHead ? 1 : vocabSize; }
  Index queryDim() const { return heads * headDim; }
  Index kvDim() const { return kvHeads * headDim; }
  Index qkvDim() const { return queryDim() + 2 * kvDim(); }
  bool sparse() const { return experts.count > 0; }

  /// Throws InvalidArgument naming the first field that makes no sense.
  void validate() const;
};

/// As transformers names the head of its ...ForSequenceClassification models.
inline constexpr const char* valueHeadName = "score.weight";

/// One named tensor inside the flat parameter buffer.
struct Parameter {
  std::string name;  ///< as transformers names it in the model's files
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
  void addMlp(const std::string& prefix, Index ffn, Index dim);

  std::vector<Parameter> parameters_;
  std::unordered_map<std::string, std::size_t> byName_;
  Index total_ = 0;
};

/// Offsets of one layer's parameters in the flat buffer; those a model lacks are -1.
struct LayerOffsets {
  Index attentionNorm, qkv, qkvBias, queryNorm, keyNorm, output, mlpNorm;
  Index router;          ///< [experts, dim]
  Index gateUp, down;    ///< of the dense MLP, or of the first expert
  Index expertStride;    ///< from one expert's matrices to the next one's
};

/// Offsets of the whole model, derived from a layout once instead of by name in the hot path.
struct ModelOffsets {
  explicit ModelOffsets(const ModelConfig& config, const ParameterLayout& layout);

  Index embedding, finalNorm, head;  ///< head == embedding when the embeddings are tied and it is no value head
  std::vector<LayerOffsets> layers;
};

/// cos and sin of every (position, pair) of the rotary embedding, [positions, headDim / 2] each, for as many positions
/// as were asked for: models that could see 128k tokens mostly do not.
class RopeTable {
 public:
  explicit RopeTable(const ModelConfig& config);

  /// Makes positions [0, count) available.
  void cover(Index count);
  const float* cosine(Index position) const { return cosine_.data() + position * pairs(); }
  const float* sine(Index position) const { return sine_.data() + position * pairs(); }
  /// Angle a position of each pair, [headDim / 2].
  const std::vector<float>& frequencies() const { return frequencies_; }

 private:
  Index pairs() const { return static_cast<Index>(frequencies_.size()); }
  std::vector<float> frequencies_, cosine_, sine_;
};

}  // namespace actors
