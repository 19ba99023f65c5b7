#include "engine_weights.h"

#include <algorithm>

namespace actors {

/// Visits everything that is kept, in the order of the parameter layout: visit.vector(pointer, floats, parameters) for
/// what is read as it is, visit.matrix(linear, parameters) for what is packed; `parameters` lie side by side in it.
template <class Visit>
void EngineWeights::forEachPart(Visit visit) {
  const ModelConfig& c = config_;
  visit.vector(embedding_, c.vocabSize * c.dim, 1);
  for (EngineLayer& l : layers_) {
    visit.vector(l.attentionNorm, c.dim, 1);
    visit.matrix(l.qkv, c.qkvDim(), c.dim, 3);
    if (c.qkvBias) visit.vector(l.qkvBias, c.qkvDim(), 3);
    if (c.qkNorm) {
      visit.vector(l.queryNorm, c.headDim, 1);
      visit.vector(l.keyNorm, c.headDim, 1);
    }
    visit.matrix(l.output, c.dim, c.queryDim(), 1);
    visit.vector(l.mlpNorm, c.dim, 1);
    if (!c.sparse()) {
      visit.matrix(l.gateUp, 2 * c.ffnDim, c.dim, 2);
      visit.matrix(l.down, c.dim, c.ffnDim, 1);
      continue;
    }
    visit.matrix(l.experts.router, c.experts.count, c.dim, 1);
    for (std::size_t e = 0; e < static_cast<std::size_t>(c.experts.count); e++) {
      visit.matrix(l.experts.gateUp[e], 2 * c.experts.ffnDim, c.dim, 2);
      visit.matrix(l.experts.down[e], c.dim, c.experts.ffnDim, 1);
    }
  }
  visit.vector(finalNorm_, c.dim, 1);
}

namespace {

/// Gives every part its place; with no memory yet it only measures.
struct Placer {
  Backend& backend;
  float* next;
  Index& total;

  const float* take(Index floats) {
    const float* piece = next == nullptr ? nullptr : next + total;
    total += aligned(floats);
    return piece;
  }
  void vector(const float*& pointer, Index floats, int) { pointer = take(floats); }
  void matrix(Linear& linear, Index out, Index in, int) {
    linear = {nullptr, take(backend.packedSize(out, in)), out, in};
  }
};

/// Fills the parts from a file.
struct Reader {
  Backend& backend;
  const SafetensorsFile& file;
  const std::vector<Parameter>& parameters;
  std::size_t& at;
  Buffer& staging;

  void read(float* destination, int count) {
    for (; count > 0; count--, at++) {
      file.read(parameters[at].name, parameters[at].shape, destination);
      destination += parameters[at].size;
    }
  }
  void vector(const float* pointer, Index, int count) { read(const_cast<float*>(pointer), count); }
  void matrix(const Linear& linear, Index out, Index in, int count) {
    const float* rows = inPlace(count);
    if (rows != nullptr) at += static_cast<std::size_t>(count);
    else read(staging.reserve(out * in), count);
    backend.pack({rows != nullptr ? rows : staging.data(), nullptr, out, in}, const_cast<float*>(linear.packed));
  }
  /// The next `count` parameters where they lie side by side in the file as they would in memory, else null.
  const float* inPlace(int count) const {
    const float* first = nullptr;
    const float* next = nullptr;
    for (std::size_t i = at; i < at + static_cast<std::size_t>(count); i++) {
      const float* values = file.view(parameters[i].name, parameters[i].shape);
      if (values == nullptr || (next != nullptr && values != next)) return nullptr;
      if (first == nullptr) first = values;
      next = values + parameters[i].size;
    }
    return first;
  }
};

}  // namespace

EngineWeights::EngineWeights(Backend& backend, const ModelConfig& c) : backend_(backend), config_(c) {
  layers_.resize(static_cast<std::size_t>(c.layers));
  for (EngineLayer& layer : layers_) {
    layer.experts.gateUp.resize(static_cast<std::size_t>(c.experts.count));
    layer.experts.down.resize(static_cast<std::size_t>(c.experts.count));
  }
  Index total = 0;
  const auto place = [&](float* memory) {
    total = 0;
    Placer placer{backend, memory, total};
    placer.matrix(head_, c.vocabSize, c.dim, 1);
    forEachPart(placer);
  };
  place(nullptr);
  memory_ = Buffer(total);
  place(memory_.data());
}

void EngineWeights::load(const SafetensorsFile& file, const ParameterLayout& layout, std::int32_t version) {
  version_ = version;
  std::size_t at = 0;
  Reader reader{backend_, file, layout.all(), at, staging_};
  forEachPart(reader);
  if (config_.tiedEmbeddings)
    backend_.pack({embedding_, nullptr, head_.out, head_.in}, const_cast<float*>(head_.packed));
  else reader.matrix(head_, head_.out, head_.in, 1);
}

}  // namespace actors
