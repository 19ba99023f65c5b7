#pragma once

#include <string>

#include "actors/json.h"
#include "actors/model.h"

namespace actors {

/// The text of a Hugging Face config.json for this model (LlamaForCausalLM).
std::string configJson(const ModelConfig& config);

/// Reads config.json as transformers 4 or 5 writes it. Unsupported names the first feature we do not compute
/// (biases, rope scaling, another activation), instead of computing something else silently.
ModelConfig readConfig(const std::string& path);

}  // namespace actors
