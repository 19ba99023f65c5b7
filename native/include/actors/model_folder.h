#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/safetensors.h"

namespace actors {

/// Copies every parameter out of one file into a flat buffer.
void readParameters(const SafetensorsFile& file, const ParameterLayout& layout, float* values);

/// The weights of a Hugging Face folder: model.safetensors, or the shards named by model.safetensors.index.json.
/// Every parameter of the layout must be there, and nothing else that a model could compute with (Unsupported); but a
/// model with a value head may be read from one without, whose other head is then left out.
void readFolder(const std::string& folder, const ModelConfig& config, const ParameterLayout& layout, float* values);

struct FolderOptions {
  Storage storage = Storage::F32;
  std::uint64_t shardBytes = std::uint64_t{5} << 30;  ///< files grow to about this size, then the next one begins
};

/// config.json and weights, as transformers loads them. Each file is whole or absent, the index comes after its shards.
void writeFolder(const std::string& folder, const ModelConfig& config, const ParameterLayout& layout,
                 const float* values, const FolderOptions& options);

}  // namespace actors
