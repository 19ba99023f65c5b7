#include "actors/lora.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "actors/error.h"
#include "actors/json.h"
#include "actors/random.h"
#include "actors/safetensors.h"

namespace actors {

namespace {

constexpr std::array<const char*, 7> projections = {"q_proj", "k_proj",  "v_proj",   "o_proj",
                                                    "gate_proj", "up_proj", "down_proj"};
constexpr const char* prefix = "base_model.model.";

std::string names(const std::vector<std::string>& targets) {
  std::string list;
  for (const std::string& target : targets) list += (list.empty() ? "" : ", ") + quoted(target);
  return list;
}

}  // namespace

void LoraOptions::validate() const {
  require(rank >= 1 && rank <= 4096, "lora: rank must be between 1 and 4096, got " + std::to_string(rank));
  require(std::isfinite(alpha) && alpha > 0, "lora: alpha must be a positive number");
  require(!targets.empty(), "lora: targets must name at least one projection");
  for (const std::string& target : targets) {
    require(std::find(projections.begin(), projections.end(), target) != projections.end(),
            "lora: targets must be of q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj, got " +
                quoted(target));
  }
}

LoraAdapters::LoraAdapters(Backend& backend, const ParameterLayout& layout, const LoraOptions& options,
                           std::uint64_t seed)
    : backend_(backend), options_((options.validate(), options)) {
  Index baseSize = 0, largest = 0;
  for (const Parameter& p : layout.all()) {
    const auto chosen = [&](const std::string& target) { return p.name.ends_with("." + target + ".weight"); };
    if (std::none_of(options_.targets.begin(), options_.targets.end(), chosen)) continue;
    const std::string module = prefix + p.name.substr(0, p.name.size() - std::strlen(".weight"));
    const Index out = p.shape[0], in = p.shape[1];
    const Index a = add(module + ".lora_A.weight", options_.rank, in);
    const Index b = add(module + ".lora_B.weight", out, options_.rank);
    targets_.push_back({p.offset, baseSize, a, b, out, in});
    baseSize += p.size;
    largest = std::max(largest, std::max(out, in) * options_.rank);
  }
  values_ = Buffer(total_);
  gradients_ = Buffer(total_);
  base_ = Buffer(baseSize);
  scratch_ = Buffer(largest);
  for (std::size_t i = 0; i < targets_.size(); i++) {
    const Target& t = targets_[i];
    const double bound = 1.0 / std::sqrt(static_cast<double>(t.in));  // as PEFT: Kaiming with a = sqrt(5)
    for (Index j = 0; j < options_.rank * t.in; j++)
      values_.data()[t.a + j] =
          static_cast<float>(bound * (2.0 * uniform(seed, static_cast<std::uint64_t>(j), i) - 1.0));
  }
}

Index LoraAdapters::add(std::string name, Index rows, Index columns) {
  const Index offset = total_;
  parameters_.push_back({std::move(name), {rows, columns}, offset, rows * columns});
  total_ += rows * columns;
  return offset;
}

void LoraAdapters::adapt(const float* weights) {
  for (const Target& t : targets_)
    std::copy(weights + t.weight, weights + t.weight + t.out * t.in, base_.data() + t.base);
}

void LoraAdapters::merge(float* weights) {
  for (const Target& t : targets_) {
    const float* b = values_.data() + t.b;
    std::transform(b, b + t.out * options_.rank, scratch_.data(),
                   [&](float x) { return static_cast<float>(scale() * static_cast<double>(x)); });
    std::copy(base_.data() + t.base, base_.data() + t.base + t.out * t.in, weights + t.weight);
    backend_.linearBackwardInput(scratch_.data(), t.out, {values_.data() + t.a, nullptr, options_.rank, t.in},
                                 weights + t.weight, true);
  }
}

void LoraAdapters::project(const float* gradients) {
  backend_.zero(gradients_.data(), total_);
  for (const Target& t : targets_) {
    const float* dW = gradients + t.weight;
    backend_.linearBackwardWeight(values_.data() + t.b, dW, t.out, options_.rank, t.in, gradients_.data() + t.a);
    backend_.linear(dW, t.out, {values_.data() + t.a, nullptr, options_.rank, t.in}, gradients_.data() + t.b, false);
  }
  std::transform(gradients_.data(), gradients_.data() + total_, gradients_.data(),
                 [&](float g) { return static_cast<float>(scale() * static_cast<double>(g)); });
}

void LoraAdapters::save(const std::string& folder) const {
  makeFolder(folder);
  std::vector<TensorView> tensors;
  for (const Parameter& p : parameters_) tensors.push_back({p.name, p.shape, values_.data() + p.offset});
  writeSafetensors(folder + "/adapter_model.safetensors", tensors, {{"format", "pt"}}, true);
  const std::string config = "{\n  \"peft_type\": \"LORA\",\n  \"task_type\": \"CAUSAL_LM\",\n  \"r\": " +
                             std::to_string(options_.rank) + ",\n  \"lora_alpha\": " + shortest(options_.alpha) +
                             ",\n  \"lora_dropout\": 0.0,\n  \"bias\": \"none\",\n  \"fan_in_fan_out\": false,\n" +
                             "  \"inference_mode\": true,\n  \"base_model_name_or_path\": null,\n" +
                             "  \"target_modules\": [" + names(options_.targets) + "]\n}\n";
  AtomicFile file(folder + "/adapter_config.json");
  file.write(config.data(), config.size());
  file.commit(true);
}

void LoraAdapters::load(const std::string& folder) {
  const std::string path = folder + "/adapter_config.json";
  const Json root = Json::parse(readText(path), path);
  const Json *rank = root.find("r"), *alpha = root.find("lora_alpha");
  require(rank != nullptr && alpha != nullptr && rank->number == static_cast<double>(options_.rank) &&
              alpha->number == options_.alpha,
          path + " is of adapters with another rank or alpha than " + std::to_string(options_.rank) + " and " +
              shortest(options_.alpha));
  const Json *rsLora = root.find("use_rslora"), *alphas = root.find("alpha_pattern");
  if ((rsLora != nullptr && rsLora->boolean) || (alphas != nullptr && !alphas->object.empty()))
    throw Error(ErrorCode::Unsupported, path + ": use_rslora and alpha_pattern are not supported");
  const SafetensorsFile file(folder + "/adapter_model.safetensors");
  file.verify();
  require(file.entries().size() == parameters_.size(), file.path() + " holds the adapters of other projections");
  Buffer values(total_);
  for (const Parameter& p : parameters_) file.read(p.name, p.shape, values.data() + p.offset);
  values_ = std::move(values);
}

}  // namespace actors
