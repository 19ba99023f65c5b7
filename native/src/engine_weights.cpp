#include "engine_weights.h"

#include <algorithm>

namespace actors {

EngineWeights::EngineWeights(Backend& backend, const ModelConfig& c) : backend_(backend), config_(c) {
  const Index qkv = backend.packedSize(c.qkvDim(), c.dim), output = backend.packedSize(c.dim, c.queryDim());
  const Index gateUp = backend.packedSize(2 * c.ffnDim, c.dim), down = backend.packedSize(c.dim, c.ffnDim);
  const Index head = backend.packedSize(c.vocabSize, c.dim);
  const Index perLayer = 2 * aligned(c.dim) + aligned(qkv) + aligned(output) + aligned(gateUp) + aligned(down);
  memory_ = Buffer(aligned(c.vocabSize * c.dim) + aligned(c.dim) + aligned(head) + c.layers * perLayer);
  float* next = memory_.data();
  const auto take = [&](Index floats) {
    float* piece = next;
    next += aligned(floats);
    return piece;
  };
  embedding_ = take(c.vocabSize * c.dim);
  finalNorm_ = take(c.dim);
  head_ = {nullptr, take(head), c.vocabSize, c.dim};
  for (Index layer = 0; layer < c.layers; layer++) {
    Layer l;
    l.attentionNorm = take(c.dim);
    l.mlpNorm = take(c.dim);
    l.qkv = {nullptr, take(qkv), c.qkvDim(), c.dim};
    l.output = {nullptr, take(output), c.dim, c.queryDim()};
    l.gateUp = {nullptr, take(gateUp), 2 * c.ffnDim, c.dim};
    l.down = {nullptr, take(down), c.dim, c.ffnDim};
    layers_.push_back(l);
  }
}

void EngineWeights::load(const SafetensorsFile& file, const ParameterLayout& layout, std::int32_t version) {
  const auto& all = layout.all();
  Index largest = 0;
  for (const Parameter& p : all) largest = std::max(largest, p.size);
  Buffer staging(3 * largest);  // q, k and v, or gate and up, side by side
  std::size_t at = 0;
  const auto readInto = [&](const float* destination) {
    file.read(all[at].name, all[at].shape, const_cast<float*>(destination));
    at++;
  };
  const auto readPacked = [&](const Linear& matrix, int parts) {
    float* next = staging.data();
    for (; parts > 0; parts--) {
      const Index size = all[at].size;
      readInto(next);
      next += size;
    }
    backend_.pack({staging.data(), nullptr, matrix.out, matrix.in}, const_cast<float*>(matrix.packed));
  };

  version_ = version;
  readInto(embedding_);
  for (const Layer& layer : layers_) {
    readInto(layer.attentionNorm);
    readPacked(layer.qkv, 3);
    readPacked(layer.output, 1);
    readInto(layer.mlpNorm);
    readPacked(layer.gateUp, 2);
    readPacked(layer.down, 1);
  }
  readInto(finalNorm_);
  if (config_.tiedEmbeddings)
    backend_.pack({embedding_, nullptr, head_.out, head_.in}, const_cast<float*>(head_.packed));
  else readPacked(head_, 1);
}

}  // namespace actors
