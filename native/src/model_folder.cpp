#include "actors/model_folder.h"

#include <array>
#include <cstdio>
#include <filesystem>

#include "actors/checkpoint.h"
#include "actors/error.h"
#include "storage.h"

namespace actors {

namespace {

constexpr const char* singleFile = "/model.safetensors";
constexpr const char* indexFile = "/model.safetensors.index.json";

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// The files that hold the folder's weights.
std::vector<std::string> weightFiles(const std::string& folder) {
  const std::string index = folder + indexFile;
  if (exists(folder + singleFile) || !exists(index)) return {folder + singleFile};
  const Json root = Json::parse(readText(index), index);
  const Json* map = root.find("weight_map");
  if (map == nullptr || map->object.empty()) throw Error(ErrorCode::CorruptFile, index + " lacks \"weight_map\"");
  std::map<std::string, bool> names;
  for (const auto& [tensor, file] : map->object) {
    if (file.string.empty() || file.string.find('/') != std::string::npos)
      throw Error(ErrorCode::CorruptFile, index + ": " + tensor + " must name a file of the same folder");
    names[file.string] = true;
  }
  std::vector<std::string> files;
  for (const auto& [name, used] : names) files.push_back(folder + "/" + name);
  return files;
}

void refuseOthers(const SafetensorsFile& file, const ModelConfig& config, const ParameterLayout& layout) {
  for (const auto& [name, entry] : file.entries()) {
    const bool unused = (config.tiedEmbeddings || config.valueHead) && name == "lm_head.weight";
    if (!unused && !name.ends_with("rotary_emb.inv_freq") && layout.find(name) == nullptr)
      throw Error(ErrorCode::Unsupported, file.path() + ": tensor " + name + " is not supported");
  }
}

void writeText(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit(true);
}

/// Consecutive tensors of about `shardBytes` together.
std::vector<std::vector<TensorView>> shards(const std::vector<TensorView>& tensors, const FolderOptions& options) {
  const std::uint64_t width = options.storage == Storage::F32 ? 4 : 2;
  std::vector<std::vector<TensorView>> result(1);
  std::uint64_t filled = 0;
  for (const TensorView& tensor : tensors) {
    std::uint64_t bytes = width;
    for (const Index extent : tensor.shape) bytes *= static_cast<std::uint64_t>(extent);
    if (filled > 0 && filled + bytes > options.shardBytes) {
      result.emplace_back();
      filled = 0;
    }
    result.back().push_back(tensor);
    filled += bytes;
  }
  return result;
}

std::string shardName(std::size_t number, std::size_t count) {
  std::array<char, 64> name;
  std::snprintf(name.data(), name.size(), "model-%05zu-of-%05zu.safetensors", number + 1, count);
  return name.data();
}

}  // namespace

void readParameters(const SafetensorsFile& file, const ParameterLayout& layout, float* values) {
  for (const Parameter& p : layout.all()) file.read(p.name, p.shape, values + p.offset);
}

void readFolder(const std::string& folder, const ModelConfig& config, const ParameterLayout& layout, float* values) {
  std::map<std::string, bool> seen;
  const std::vector<std::string> paths = weightFiles(folder);
  for (const std::string& path : paths) {
    const SafetensorsFile file(path);
    refuseOthers(file, config, layout);
    file.verify();
    for (const auto& [name, entry] : file.entries()) {
      const Parameter* p = layout.find(name);
      if (p == nullptr) continue;
      file.read(name, p->shape, values + p->offset);
      seen[name] = true;
    }
  }
  for (const Parameter& p : layout.all()) {
    if (!seen.contains(p.name) && p.name != valueHeadName)
      throw Error(ErrorCode::CorruptFile, (paths.size() == 1 ? paths[0] : folder + indexFile) + ": tensor " + p.name +
                                              " is missing");
  }
}

void writeFolder(const std::string& folder, const ModelConfig& config, const ParameterLayout& layout,
                 const float* values, const FolderOptions& options) {
  const char* dtype = options.storage == Storage::F32    ? "float32"
                      : options.storage == Storage::BF16 ? "bfloat16"
                                                         : "float16";
  makeFolder(folder);
  const auto parts = shards(parameterViews(layout, values), options);
  const std::string single = folder + singleFile, index = folder + indexFile;
  if (parts.size() == 1) {
    writeSafetensors(single, parts[0], {{"format", "pt"}}, true, options.storage);
    std::filesystem::remove(index);
  } else {
    std::string map;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < parts.size(); i++) {
      const std::string name = shardName(i, parts.size());
      total += writeSafetensors(folder + "/" + name, parts[i], {{"format", "pt"}}, true, options.storage).bytes;
      for (const TensorView& tensor : parts[i])
        map += (map.empty() ? "" : ",") + ("\n    " + quoted(tensor.name)) + ": " + quoted(name);
    }
    writeText(index, "{\n  \"metadata\": {\"total_size\": " + std::to_string(total) + "},\n  \"weight_map\": {" + map +
                         "\n  }\n}\n");
    std::filesystem::remove(single);
  }
  writeText(folder + "/config.json", configJson(config, dtype));
}

}  // namespace actors
