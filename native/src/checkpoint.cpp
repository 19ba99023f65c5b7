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

WrittenFile Learner::publish(const std::string& path, const std::string& spare) {
  return shareSafetensors(path, parameterViews(layout_, weights_.data()), spare);
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

std::string shardName(Index rank, Index world) { return std::to_string(rank) + " of " + std::to_string(world); }

/// What a shard says of itself.
struct StateHeader {
  std::string config, shard;
  std::int64_t steps = 0;

  explicit StateHeader(const SafetensorsFile& file) {
    const auto text = [&](const char* key) {
      const auto found = file.metadata().find(key);
      if (found == file.metadata().end()) throw Error(ErrorCode::CorruptFile, file.path() + " is not a learner state file");
      return found->second;
    };
    config = text("config");
    shard = text("shard");
    const std::string count = text("steps");
    const char* end = count.data() + count.size();
    const auto parsed = std::from_chars(count.data(), end, steps);
    if (parsed.ec != std::errc() || parsed.ptr != end || steps < 0)
      throw Error(ErrorCode::CorruptFile, file.path() + ": its step count is not a number");
  }
};

}  // namespace

void Learner::saveState(const std::string& path) {
  const Trained t = trained();
  const std::vector<Index> shape = {own_.size()};
  writeSafetensors(
      path,
      {{"weights", shape, t.weights + own_.first}, {"moment1", shape, first_.data()}, {"moment2", shape, second_.data()}},
      {{"format", "actors-state"},
       {"config", identity(config_, lora_.get())},
       {"shard", shardName(rank_, world_)},
       {"steps", std::to_string(steps_)}},
      true);
}

void Learner::loadState(const std::vector<std::string>& shards) {
  require(!shards.empty(), "loadState: there are no shards");
  const Trained t = trained();
  const auto world = static_cast<Index>(shards.size());
  // All reads go to fresh memory first: a failure leaves the learner as it was.
  Buffer weights(t.total), first(own_.size()), second(own_.size());
  std::int64_t steps = -1;
  for (Index rank = 0; rank < world; rank++) {
    const SafetensorsFile file(shards[static_cast<std::size_t>(rank)]);
    const StateHeader header(file);
    require(header.config == identity(config_, lora_.get()),
            file.path() + " holds the state of a model with another config or other adapters");
    if (header.shard != shardName(rank, world) || (rank > 0 && header.steps != steps))
      throw Error(ErrorCode::CorruptFile, file.path() + " is shard " + header.shard + " after " +
                                              std::to_string(header.steps) + " steps, not " + shardName(rank, world) +
                                              " of the others' state");
    steps = header.steps;
    file.verify();
    const Shard theirs = shardOf(t.total, rank, world);
    const std::vector<Index> shape = {theirs.size()};
    file.read("weights", shape, weights.data() + theirs.first);
    const Index from = std::max(theirs.first, own_.first), count = std::min(theirs.last, own_.last) - from;
    if (count <= 0) continue;
    file.readPart("moment1", shape, from - theirs.first, count, first.data() + from - own_.first);
    file.readPart("moment2", shape, from - theirs.first, count, second.data() + from - own_.first);
  }
  std::copy(weights.data(), weights.data() + t.total, t.weights);
  first_ = std::move(first);
  second_ = std::move(second);
  if (lora_) lora_->merge(weights_.data());
  steps_ = steps;
  backend_->zero(gradients_.data(), layout_.total());
}

void Learner::restoreShard(const std::string& path, Collective* ranks, const Cancel& cancel) {
  requireOwn(ranks, "restoreShard");
  const SafetensorsFile file(path);
  const StateHeader header(file);
  require(header.config == identity(config_, lora_.get()),
          path + " holds the state of a model with another config or other adapters");
  if (header.shard != shardName(rank_, world_))
    throw Error(ErrorCode::CorruptFile, path + " is shard " + header.shard + ", not " + shardName(rank_, world_));
  file.verify();
  const Trained t = trained();
  const std::vector<Index> shape = {own_.size()};
  file.read("weights", shape, t.weights + own_.first);
  file.read("moment1", shape, first_.data());
  file.read("moment2", shape, second_.data());
  if (ranks != nullptr) ranks->allGather(t.weights, t.total, cancel);
  if (lora_) lora_->merge(weights_.data());
  steps_ = header.steps;
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
