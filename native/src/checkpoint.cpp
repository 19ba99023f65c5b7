#include "actors/checkpoint.h"

#include <algorithm>
#include <charconv>

#include "actors/learner.h"

namespace actors {

std::unique_ptr<Learner> Learner::load(const std::string& folder, int threads, bool valueHead) {
  ModelConfig config = readConfig(folder + "/config.json");
  config.valueHead = config.valueHead || valueHead;
  std::unique_ptr<Learner> learner(new Learner(config, threads, Unset{}));
  readFolder(folder, learner->config_, learner->layout_, learner->weights_.data());
  return learner;
}

void Learner::save(const std::string& folder, const FolderOptions& options) {
  writeFolder(folder, config_, layout_, weights_.data(), options);
}

WrittenFile Learner::publish(const std::string& path) {
  return writeSafetensors(path, parameterViews(layout_, weights_.data()), {{"format", "pt"}}, false);
}

namespace {

/// What must be the same for a state to fit.
std::string identity(const ModelConfig& config, const LoraAdapters* lora) {
  std::string text = configJson(config);
  if (lora == nullptr) return text;
  text += "adapters " + std::to_string(lora->options().rank) + " " + shortest(lora->options().alpha);
  for (const std::string& target : lora->options().targets) text += " " + target;
  return text;
}

}  // namespace

void Learner::saveState(const std::string& path) {
  const Trained t = trained();
  const std::vector<Index> shape = {t.total};
  writeSafetensors(
      path, {{"weights", shape, t.weights}, {"moment1", shape, first_.data()}, {"moment2", shape, second_.data()}},
      {{"format", "actors-state"}, {"config", identity(config_, lora_.get())}, {"steps", std::to_string(steps_)}},
      true);
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
  require(config->second == identity(config_, lora_.get()),
          path + " holds the state of a model with another config or other adapters");
  file.verify();
  const Trained t = trained();
  const std::vector<Index> shape = {t.total};
  // All reads go to fresh memory first: a failure leaves the learner as it was.
  Buffer weights(t.total), first(t.total), second(t.total);
  file.read("weights", shape, weights.data());
  file.read("moment1", shape, first.data());
  file.read("moment2", shape, second.data());
  std::copy(weights.data(), weights.data() + t.total, t.weights);
  first_ = std::move(first);
  second_ = std::move(second);
  if (lora_) lora_->merge(weights_.data());
  steps_ = count;
  backend_->zero(gradients_.data(), layout_.total());
}

void Learner::saveAdapters(const std::string& folder) {
  require(lora_ != nullptr, "lora: the learner has no adapters");
  lora_->save(folder);
}

void Learner::loadAdapters(const std::string& folder) {
  require(lora_ != nullptr, "lora: the learner has no adapters");
  lora_->load(folder);
  lora_->merge(weights_.data());
}

}  // namespace actors
