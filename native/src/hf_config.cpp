// config.json of a Hugging Face folder: which models we compute, and how transformers 4 and 5 write them down.

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "actors/checkpoint.h"
#include "actors/error.h"
#include "actors/file.h"

namespace actors {

namespace {

struct Family {
  const char *type, *architecture;  ///< its name lacks what the head is for
  bool qkvBias, qkNorm, sparse;
};

/// The first family that fits is written; mistral is llama by another name.
constexpr Family families[] = {{"llama", "Llama", false, false, false},
                               {"mistral", "Mistral", false, false, false},
                               {"qwen2", "Qwen2", true, false, false},
                               {"qwen3", "Qwen3", false, true, false},
                               {"qwen3_moe", "Qwen3Moe", false, true, true}};

/// Fields that are read below.
constexpr auto read = std::to_array<std::string_view>(
    {"model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
     "head_dim", "intermediate_size", "max_position_embeddings", "rms_norm_eps", "tie_word_embeddings", "rope_theta",
     "rope_parameters", "rope_scaling", "hidden_act", "sliding_window", "layer_types", "num_experts", "num_local_experts",
     "num_experts_per_tok", "moe_intermediate_size", "norm_topk_prob", "decoder_sparse_step"});

/// Fields that change nothing in what is computed here: bookkeeping, initialisation, generation defaults. The weight of
/// the experts' balance loss is the training call's to choose.
constexpr auto neutral = std::to_array<std::string_view>(
    {"architectures", "bos_token_id", "eos_token_id", "pad_token_id", "dtype", "torch_dtype", "transformers_version",
     "initializer_range", "use_cache", "pretraining_tp", "max_window_layers", "_name_or_path", "_commit_hash",
     "return_dict", "id2label", "label2id", "router_aux_loss_coef", "output_router_logits", "use_bfloat16"});

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

[[noreturn]] void unsupported(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::Unsupported, path + ": " + what + " is not supported");
}

/// Null, false, 0 or empty: a feature that is switched off.
bool off(const Json& value) {
  switch (value.kind) {
    case Json::Kind::Null: return true;
    case Json::Kind::Boolean: return !value.boolean;
    case Json::Kind::Number: return value.number == 0.0;
    case Json::Kind::String: return value.string.empty();
    case Json::Kind::Array: return value.array.empty();
    case Json::Kind::Object: return value.object.empty();
  }
  return false;
}

bool on(const Json& root, const char* key) {
  const Json* value = root.find(key);
  return value != nullptr && !off(*value);
}

double number(const Json& root, const std::string& path, const char* key, double fallback = NAN) {
  const Json* value = root.find(key);
  if (value == nullptr) {
    if (std::isnan(fallback)) throw Error(ErrorCode::CorruptFile, path + " lacks \"" + key + "\"");
    return fallback;
  }
  if (value->kind != Json::Kind::Number)
    throw Error(ErrorCode::CorruptFile, path + ": \"" + key + "\" must be a number");
  return value->number;
}

Index integer(const Json& root, const std::string& path, const char* key, double fallback = NAN) {
  const double value = number(root, path, key, fallback);
  if (value != std::floor(value) || std::abs(value) > 0x1.0p31)
    throw Error(ErrorCode::CorruptFile, path + ": \"" + key + "\" must be an integer");
  return static_cast<Index>(value);
}

std::string text(const Json& root, const char* key, const char* fallback) {
  const Json* value = root.find(key);
  return value == nullptr ? fallback : value->string;
}

const Family& familyOf(const Json& root, const std::string& path) {
  const std::string type = text(root, "model_type", "llama");
  for (const Family& family : families) {
    if (type == family.type) return family;
  }
  unsupported(path, "model_type " + quoted(type));
}

/// A feature must be known or switched off: what is computed is what the file says, or nothing.
void refuseOthers(const Json& root, const std::string& path) {
  for (const auto& [key, value] : root.object) {
    if (contains(read, key) || contains(neutral, key) || off(value)) continue;
    if (value.kind == Json::Kind::Number) unsupported(path, key + " " + shortest(value.number));
    unsupported(path, key);
  }
  const std::string activation = text(root, "hidden_act", "silu");
  if (activation != "silu") unsupported(path, "hidden_act " + quoted(activation));
  // Qwen writes the width of a window that it then does not use.
  const bool windowUnused = root.object.contains("use_sliding_window") && !on(root, "use_sliding_window");
  if (on(root, "sliding_window") && !windowUnused) unsupported(path, "sliding_window");
  if (const Json* types = root.find("layer_types")) {
    for (const Json& type : types->array)
      if (type.string != "full_attention") unsupported(path, "layer_types with " + quoted(type.string));
  }
}

/// transformers 5 keeps everything about rotary positions in rope_parameters, 4 kept theta beside rope_scaling.
void readRope(const Json& root, const std::string& path, ModelConfig& c) {
  const Json* rope = root.find("rope_parameters");
  if (rope == nullptr) rope = root.find("rope_scaling");
  c.ropeTheta = number(root, path, "rope_theta", 10000.0);
  if (rope == nullptr) return;
  c.ropeTheta = number(*rope, path, "rope_theta", c.ropeTheta);
  const std::string type = text(*rope, "rope_type", text(*rope, "type", "default").c_str());
  if (type != "default" && type != "llama3") unsupported(path, "rope_type " + quoted(type));
  constexpr auto known = std::to_array<std::string_view>({"rope_theta", "rope_type", "type", "factor", "low_freq_factor",
                                                          "high_freq_factor", "original_max_position_embeddings"});
  for (const auto& [key, value] : rope->object)
    if (!contains(known, key) && !off(value)) unsupported(path, key + " of the rotary positions");
  if (type == "default") return;
  c.ropeScaling = {number(*rope, path, "factor"), number(*rope, path, "low_freq_factor"),
                   number(*rope, path, "high_freq_factor"), integer(*rope, path, "original_max_position_embeddings")};
}

void readExperts(const Json& root, const std::string& path, ModelConfig& c) {
  if (integer(root, path, "decoder_sparse_step", 1) != 1) unsupported(path, "decoder_sparse_step other than 1");
  c.experts = {integer(root, path, root.object.contains("num_experts") ? "num_experts" : "num_local_experts"),
               integer(root, path, "num_experts_per_tok"),
               integer(root, path, "moe_intermediate_size"), on(root, "norm_topk_prob")};
}

/// Whether the model is one number a position, the form in which critics and reward models are kept.
bool isCritic(const Json& root, const std::string& path) {
  const Json* names = root.find("architectures");
  if (names == nullptr || names->array.empty()) return false;
  const std::string& name = names->array[0].string;
  if (name.ends_with("ForCausalLM")) return false;
  const Json* labels = root.find("id2label");
  if (!name.ends_with("ForSequenceClassification") || labels == nullptr || labels->object.size() != 1)
    unsupported(path, "the architecture " + quoted(name));
  return true;
}

}  // namespace

ModelConfig readConfig(const std::string& path) {
  const Json root = Json::parse(readText(path), path);
  if (root.kind != Json::Kind::Object) throw Error(ErrorCode::CorruptFile, path + " is not a JSON object");
  const Family& family = familyOf(root, path);
  ModelConfig c;
  c.vocabSize = integer(root, path, "vocab_size");
  c.dim = integer(root, path, "hidden_size");
  c.layers = integer(root, path, "num_hidden_layers");
  c.heads = integer(root, path, "num_attention_heads");
  c.kvHeads = integer(root, path, "num_key_value_heads", static_cast<double>(c.heads));
  if (c.heads <= 0) throw Error(ErrorCode::CorruptFile, path + ": \"num_attention_heads\" must be positive");
  c.headDim = integer(root, path, "head_dim", static_cast<double>(c.dim / c.heads));
  c.ffnDim = integer(root, path, "intermediate_size");
  c.maxSeqLen = integer(root, path, "max_position_embeddings");
  c.normEps = number(root, path, "rms_norm_eps", 1e-6);
  c.tiedEmbeddings = on(root, "tie_word_embeddings");
  c.qkvBias = family.qkvBias;
  c.qkNorm = family.qkNorm;
  readRope(root, path, c);
  if (family.sparse) readExperts(root, path, c);
  c.valueHead = isCritic(root, path);
  refuseOthers(root, path);
  try {
    c.validate();
  } catch (const Error& error) {
    throw Error(ErrorCode::CorruptFile, path + ": " + error.what());
  }
  return c;
}

std::string configJson(const ModelConfig& c, const std::string& dtype) {
  const auto family = std::find_if(std::begin(families), std::end(families), [&](const Family& f) {
    return f.qkvBias == c.qkvBias && f.qkNorm == c.qkNorm && f.sparse == c.sparse();
  });
  const char* head = c.valueHead ? "ForSequenceClassification" : "ForCausalLM";
  std::string json = "{\n  \"architectures\": [" + quoted(std::string(family->architecture) + head) + "]";
  const auto raw = [&](const char* key, const std::string& value) { json += ",\n  " + quoted(key) + ": " + value; };
  const auto whole = [&](const char* key, Index value) { raw(key, std::to_string(value)); };
  const auto flag = [&](const char* key, bool value) { raw(key, value ? "true" : "false"); };
  raw("model_type", quoted(family->type));
  whole("vocab_size", c.vocabSize);
  whole("hidden_size", c.dim);
  whole("num_hidden_layers", c.layers);
  whole("num_attention_heads", c.heads);
  whole("num_key_value_heads", c.kvHeads);
  whole("head_dim", c.headDim);
  whole("intermediate_size", c.ffnDim);
  whole("max_position_embeddings", c.maxSeqLen);
  raw("rms_norm_eps", shortest(c.normEps));
  raw("hidden_act", "\"silu\"");
  if (c.sparse()) {
    whole("num_experts", c.experts.count);
    whole("num_experts_per_tok", c.experts.active);
    whole("moe_intermediate_size", c.experts.ffnDim);
    flag("norm_topk_prob", c.experts.normalized);
    whole("decoder_sparse_step", 1);
    raw("mlp_only_layers", "[]");
  }
  if (!c.qkvBias) flag("attention_bias", false);
  if (!c.qkvBias && !c.qkNorm) flag("mlp_bias", false);
  else flag("use_sliding_window", false);
  // Both ways of writing the positions, for both versions of transformers.
  raw("rope_theta", shortest(c.ropeTheta));
  const RopeScaling& r = c.ropeScaling;
  const bool scaled = r.factor != 1.0;
  const std::string scaling = "\"factor\": " + shortest(r.factor) + ", \"low_freq_factor\": " + shortest(r.lowFrequency) +
                              ", \"high_freq_factor\": " + shortest(r.highFrequency) +
                              ", \"original_max_position_embeddings\": " + std::to_string(r.originalLength);
  if (scaled) raw("rope_scaling", "{\"rope_type\": \"llama3\", " + scaling + "}");
  raw("rope_parameters", "{\"rope_theta\": " + shortest(c.ropeTheta) + ", \"rope_type\": " +
                             (scaled ? "\"llama3\", " + scaling : std::string("\"default\"")) + "}");
  if (c.valueHead) raw("id2label", "{\"0\": \"value\"}");
  raw("torch_dtype", quoted(dtype));
  raw("dtype", quoted(dtype));
  flag("tie_word_embeddings", c.tiedEmbeddings);
  return json + "\n}\n";
}

}  // namespace actors
