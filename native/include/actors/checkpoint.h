#pragma once

#include <string>

#include "actors/json.h"
#include "actors/model.h"

namespace actors {

/// The text of a Hugging Face config.json for this model, whose weights are stored as `dtype` (torch's name).
std::string configJson(const ModelConfig& config, const std::string& dtype = "float32");

/// Reads config.json of a Llama, Mistral, Qwen2, Qwen3 or Qwen3-MoE model as transformers 4 or 5 writes it. Unsupported
/// names the first field that we do not know and that is not switched off: what is computed is what the file says.
ModelConfig readConfig(const std::string& path);

}  // namespace actors
