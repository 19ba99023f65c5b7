#include "actors/checkpoint.h"

#include <charconv>
#include <cmath>

#include "actors/learner.h"

namespace actors {

namespace {

[[noreturn]] void unsupported(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::Unsupported, path + ": " + what + " is not supported; Llama-style models without biases are");
}

double number(const Json& root, const std::string& path, const char* key, double fallback) {
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

void refuseUnknownFeatures(const Json& root, const std::string& path) {
  const Json* type = root.find("model_type");
  const std::string family = type == nullptr ? "llama" : type->string;
  if (family != "llama" && family != "mistral") unsupported(path, "model_type " + quoted(family));
  for (const char* key : {"attention_bias", "mlp_bias"}) {
    const Json* value = root.find(key);
    if (value != nullptr && value->boolean) unsupported(path, key);
  }
  const Json* activation = root.find("hidden_act");
  if (activation != nullptr && activation->string != "silu")
    unsupported(path, "hidden_act " + quoted(activation->string));
  if (root.find("sliding_window") != nullptr) unsupported(path, "sliding_window");
  if (root.find("rope_scaling") != nullptr) unsupported(path, "rope_scaling");
}

/// transformers 5 nests the base under rope_parameters, 4 kept it at the top.
double ropeTheta(const Json& root, const std::string& path) {
  const Json* nested = root.find("rope_parameters");
  if (nested == nullptr) return number(root, path, "rope_theta", 10000.0);
  const Json* type = nested->find("rope_type");
  if (type != nullptr && type->string != "default") unsupported(path, "rope_type " + quoted(type->string));
  return number(*nested, path, "rope_theta", number(root, path, "rope_theta", 10000.0));
}

}  // namespace

std::string configJson(const ModelConfig& c) {
  const auto field = [](const char* key, const std::string& value) {
    return "  " + quoted(key) + ": " + value + ",\n";
  };
  const std::string theta = shortest(c.ropeTheta);
  return "{\n  \"architectures\": [\"LlamaForCausalLM\"],\n  \"model_type\": \"llama\",\n" +
         field("vocab_size", std::to_string(c.vocabSize)) + field("hidden_size", std::to_string(c.dim)) +
         field("num_hidden_layers", std::to_string(c.layers)) + field("num_attention_heads", std::to_string(c.heads)) +
         field("num_key_value_heads", std::to_string(c.kvHeads)) + field("head_dim", std::to_string(c.headDim)) +
         field("intermediate_size", std::to_string(c.ffnDim)) +
         field("max_position_embeddings", std::to_string(c.maxSeqLen)) + field("rms_norm_eps", shortest(c.normEps)) +
         field("rope_theta", theta) +
         field("rope_parameters", "{\"rope_theta\": " + theta + ", \"rope_type\": \"default\"}") +
         field("hidden_act", "\"silu\"") + field("attention_bias", "false") + field("mlp_bias", "false") +
         field("torch_dtype", "\"float32\"") + field("dtype", "\"float32\"") +
         "  \"tie_word_embeddings\": " + (c.tiedEmbeddings ? "true" : "false") + "\n}\n";
}

ModelConfig readConfig(const std::string& path) {
  const Json root = Json::parse(readText(path), path);
  if (root.kind != Json::Kind::Object) throw Error(ErrorCode::CorruptFile, path + " is not a JSON object");
  refuseUnknownFeatures(root, path);
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
  c.ropeTheta = ropeTheta(root, path);
  const Json* tied = root.find("tie_word_embeddings");
  c.tiedEmbeddings = tied != nullptr && tied->boolean;
  try {
    c.validate();
  } catch (const Error& error) {
    throw Error(ErrorCode::CorruptFile, path + ": " + error.what());
  }
  return c;
}

std::unique_ptr<Learner> Learner::load(const std::string& folder, int threads) {
  const ModelConfig config = readConfig(folder + "/config.json");
  const SafetensorsFile file(folder + "/model.safetensors");
  std::unique_ptr<Learner> learner(new Learner(config, threads, Unset{}));
  for (const auto& [name, entry] : file.entries()) {
    const bool ignorable = name == "lm_head.weight" || name.ends_with("rotary_emb.inv_freq");
    if (!ignorable && learner->layout_.find(name) == nullptr) unsupported(file.path(), "tensor " + name);
  }
  file.verify();
  readParameters(file, learner->layout_, learner->weights_.data());
  return learner;
}

void Learner::save(const std::string& folder) {
  makeFolder(folder);
  writeSafetensors(folder + "/model.safetensors", parameterViews(layout_, weights_.data()), {{"format", "pt"}}, true);
  const std::string text = configJson(config_);
  AtomicFile file(folder + "/config.json");
  file.write(text.data(), text.size());
  file.commit(true);
}

WrittenFile Learner::publish(const std::string& path) {
  return writeSafetensors(path, parameterViews(layout_, weights_.data()), {{"format", "pt"}}, false);
}

void Learner::saveState(const std::string& path) {
  const std::vector<Index> shape = {layout_.total()};
  writeSafetensors(
      path,
      {{"weights", shape, weights_.data()}, {"moment1", shape, first_.data()}, {"moment2", shape, second_.data()}},
      {{"format", "actors-state"}, {"config", configJson(config_)}, {"steps", std::to_string(steps_)}}, true);
}

void Learner::loadState(const std::string& path) {
  const SafetensorsFile file(path);
  const auto& metadata = file.metadata();
  const auto config = metadata.find("config"), steps = metadata.find("steps");
  if (config == metadata.end() || steps == metadata.end())
    throw Error(ErrorCode::CorruptFile, path + " is not a learner state file");
  std::int64_t count = 0;
  const char* end = steps->second.data() + steps->second.size();
  const auto parsed = std::from_chars(steps->second.data(), end, count);
  if (parsed.ec != std::errc() || parsed.ptr != end || count < 0)
    throw Error(ErrorCode::CorruptFile, path + ": its step count is not a number");
  require(config->second == configJson(config_), path + " holds the state of a model with another config");
  file.verify();
  const std::vector<Index> shape = {layout_.total()};
  // All reads go to fresh memory first: a failure leaves the learner as it was.
  Buffer weights(layout_.total()), first(layout_.total()), second(layout_.total());
  file.read("weights", shape, weights.data());
  file.read("moment1", shape, first.data());
  file.read("moment2", shape, second.data());
  weights_ = std::move(weights);
  first_ = std::move(first);
  second_ = std::move(second);
  steps_ = count;
  backend_->zero(gradients_.data(), layout_.total());
}

}  // namespace actors
