#include "backend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "actors/error.h"

namespace actors::cuda {

namespace {

std::size_t bytesOf(Index floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

Heads headsOf(const AttentionShape& shape) {
  if (shape.headDim > maxHeadDim)
    throw Error(ErrorCode::Unsupported, "CUDA: heads of " + std::to_string(shape.headDim) +
                                            " values are not supported, at most " + std::to_string(maxHeadDim));
  return {static_cast<int>(shape.heads), static_cast<int>(shape.kvHeads), static_cast<int>(shape.headDim)};
}

}  // namespace

CudaBackend::CudaBackend(std::unique_ptr<Device> device, bool bf16)
    : device_(std::move(device)),
      bf16_(bf16),
      integers_(*device_),
      floats_(*device_),
      pointers_(*device_),
      scratch_(*device_),
      leftHalf_(*device_),
      rightHalf_(*device_) {}

template <class T>
const T* CudaBackend::upload(Buffer& to, const T* values, Index count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  float* memory = to.reserve(static_cast<Index>((bytes + sizeof(float) - 1) / sizeof(float)));
  device_->upload(values, bytes, memory);
  return reinterpret_cast<const T*>(memory);
}

void CudaBackend::copy(const float* x, Index n, float* y) {
  if (n > 0) device_->copy(x, bytesOf(n), y);
}
void CudaBackend::upload(const float* host, Index n, float* x) {
  if (n > 0) device_->upload(host, bytesOf(n), x);
}
void CudaBackend::download(const float* x, Index n, float* host) {
  if (n > 0) device_->download(x, bytesOf(n), host);
}
void CudaBackend::zero(float* x, Index n) {
  if (n > 0) device_->zero(x, bytesOf(n));
}

Index CudaBackend::packedSize(Index out, Index in) const { return bf16_ ? (out * in + 1) / 2 : out * in; }

void CudaBackend::pack(const Linear& matrix, float* packed) {
  const Index n = matrix.out * matrix.in;
  if (bf16_) launch::toBf16(device_->stream(), matrix.weight, n, reinterpret_cast<std::uint16_t*>(packed));
  else copy(matrix.weight, n, packed);
}

const void* CudaBackend::operand(const float* values, Index n, Buffer& half) {
  if (!bf16_) return values;
  auto* rounded = reinterpret_cast<std::uint16_t*>(half.reserve((n + 1) / 2));
  launch::toBf16(device_->stream(), values, n, rounded);
  return rounded;
}

const void* CudaBackend::operand(const Linear& matrix) {
  return matrix.packed != nullptr ? matrix.packed : operand(matrix.weight, matrix.out * matrix.in, rightHalf_);
}

void CudaBackend::linear(const float* x, Index rows, const Linear& matrix, float* y, bool accumulate) {
  if (rows == 0) return;
  const void* left = operand(x, rows * matrix.in, leftHalf_);
  device_->multiply({rows, matrix.out, matrix.in, left, operand(matrix), false, true, bf16_, accumulate, y});
}

void CudaBackend::linearBackwardInput(const float* dy, Index rows, const Linear& matrix, float* dx, bool accumulate) {
  if (rows == 0) return;
  const void* left = operand(dy, rows * matrix.out, leftHalf_);
  device_->multiply({rows, matrix.in, matrix.out, left, operand(matrix), false, false, bf16_, accumulate, dx});
}

void CudaBackend::linearBackwardWeight(const float* dy, const float* x, Index rows, Index out, Index in, float* dW) {
  if (rows == 0) return;
  const void *left = operand(dy, rows * out, leftHalf_), *right = operand(x, rows * in, rightHalf_);
  device_->multiply({out, in, rows, left, right, true, false, bf16_, true, dW});
}

void CudaBackend::gather(const float* table, const std::int32_t* rows, Index count, Index dim, float* y) {
  if (count == 0) return;
  launch::gather(device_->stream(), table, upload(integers_, rows, count), count, dim, y);
}

void CudaBackend::scatterAdd(const float* y, const std::int32_t* rows, Index count, Index dim, float* table) {
  if (count == 0) return;
  // Rows that go to the same place side by side, each place's in their order: targets, bounds, sources.
  std::vector<std::int32_t> source(static_cast<std::size_t>(count)), targets, starts;
  std::iota(source.begin(), source.end(), 0);
  std::stable_sort(source.begin(), source.end(), [&](auto a, auto b) { return rows[a] < rows[b]; });
  for (std::int32_t i = 0; i < count; i++) {
    const std::int32_t target = rows[source[static_cast<std::size_t>(i)]];
    if (!targets.empty() && targets.back() == target) continue;
    targets.push_back(target);
    starts.push_back(i);
  }
  starts.push_back(static_cast<std::int32_t>(count));
  const auto places = static_cast<Index>(targets.size());
  targets.insert(targets.end(), starts.begin(), starts.end());
  targets.insert(targets.end(), source.begin(), source.end());
  const std::int32_t* all = upload(integers_, targets);
  launch::scatterAdd(device_->stream(), y, all, all + places, all + 2 * places + 1, places, dim, table);
}

void CudaBackend::rmsNorm(const float* x, const float* weight, Index rows, Index dim, double eps, float* y,
                          float* rstd) {
  if (rows > 0) launch::rmsNorm(device_->stream(), x, weight, rows, dim, static_cast<float>(eps), y, rstd);
}

void CudaBackend::rmsNormBackward(const float* dy, const float* x, const float* weight, const float* rstd, Index rows,
                                  Index dim, float* dx, float* dWeight) {
  if (rows == 0) return;
  launch::rmsNormBackward(device_->stream(), dy, x, weight, rstd, rows, dim, dx, dWeight,
                          scratch_.reserve(sumBlocks(rows) * dim));
}

void CudaBackend::addBias(float* y, const float* bias, Index rows, Index dim) {
  if (rows > 0) launch::addBias(device_->stream(), y, bias, rows, dim);
}

void CudaBackend::sumRows(const float* x, Index rows, Index dim, float* sums) {
  if (rows > 0) launch::columnSums(device_->stream(), x, rows, dim, sums, scratch_.reserve(sumBlocks(rows) * dim));
}

void CudaBackend::headNorm(const float* qkv, const HeadNorm& norm, Index rows, const AttentionShape& shape,
                           float* out) {
  if (rows == 0) return;
  launch::headNorm(device_->stream(), qkv, norm.query, norm.key, static_cast<float>(norm.eps), rows, headsOf(shape),
                   out);
}

void CudaBackend::headNormBackward(const float* qkv, const HeadNorm& norm, Index rows, const AttentionShape& shape,
                                   float* dQkv, float* dQuery, float* dKey) {
  if (rows == 0) return;
  const Index scales = rows * (shape.heads + shape.kvHeads);
  float* rstd = scratch_.reserve(scales + sumBlocks(rows) * 2 * shape.headDim);
  launch::headNormBackward(device_->stream(), qkv, norm.query, norm.key, static_cast<float>(norm.eps), rows,
                           headsOf(shape), dQkv, dQuery, dKey, rstd, rstd + scales);
}

void CudaBackend::rope(float* qkv, Index rows, const AttentionShape& shape, const std::int32_t* positions,
                       const RopeTable& table, bool inverse) {
  if (rows == 0) return;
  launch::rope(device_->stream(), qkv, rows, headsOf(shape), upload(integers_, positions, rows),
               upload(floats_, table.frequencies()), inverse ? -1.0f : 1.0f);
}

/// Every tile of every sequence; null when there is none.
const AttentionPiece* CudaBackend::pieces(const Sequences& sequences, Index& count) {
  std::vector<AttentionPiece> list;
  for (Index i = 0; i < sequences.count; i++) {
    const std::int32_t first = sequences.starts[i], length = sequences.starts[i + 1] - first;
    for (std::int32_t tile = 0; tile * attentionTile < length; tile++) list.push_back({first, length, tile});
  }
  count = static_cast<Index>(list.size());
  return list.empty() ? nullptr : upload(integers_, list);
}

void CudaBackend::attention(const float* qkv, const Sequences& sequences, const AttentionShape& shape, float* out,
                            float* lse) {
  Index count = 0;
  const AttentionPiece* list = pieces(sequences, count);
  if (list == nullptr) return;
  const auto launched = onTensorCores(shape) ? launch::attentionBf16 : launch::attention;
  launched(device_->stream(), qkv, list, count, headsOf(shape), out, lse);
}

void CudaBackend::attentionBackward(const float* qkv, const float* out, const float* lse, const float* dOut,
                                    const Sequences& sequences, const AttentionShape& shape, float* dQkv) {
  Index count = 0;
  const AttentionPiece* list = pieces(sequences, count);
  if (list == nullptr) return;
  const auto launched = onTensorCores(shape) ? launch::attentionBackwardBf16 : launch::attentionBackward;
  launched(device_->stream(), qkv, out, lse, dOut, list, count, sequences.tokens, headsOf(shape), dQkv,
           scratch_.reserve(sequences.tokens * shape.heads));
}

void CudaBackend::swiglu(const float* gateUp, Index rows, Index ffn, float* act) {
  if (rows > 0) launch::swiglu(device_->stream(), gateUp, rows, ffn, act);
}

void CudaBackend::swigluBackward(const float* gateUp, const float* dAct, Index rows, Index ffn, float* dGateUp) {
  if (rows > 0) launch::swigluBackward(device_->stream(), gateUp, dAct, rows, ffn, dGateUp);
}

void CudaBackend::route(float* logits, Index rows, const Experts& experts, std::int32_t* chosen, float* weights) {
  if (rows == 0) return;
  auto* onDevice = reinterpret_cast<std::int32_t*>(scratch_.reserve(rows * experts.active));
  launch::route(device_->stream(), logits, rows, experts.count, experts.active, experts.normalized, onDevice, weights);
  device_->download(onDevice, static_cast<std::size_t>(rows * experts.active) * sizeof *chosen, chosen);
}

void CudaBackend::routeBackward(const float* probabilities, const std::int32_t* chosen, const float* dWeights,
                                const float* balance, const Sequences& sequences, const Experts& experts,
                                float* dLogits) {
  const Index rows = sequences.tokens;
  if (rows == 0) return;
  std::vector<std::int32_t> integers(chosen, chosen + rows * experts.active);
  for (std::int32_t i = 0; i < sequences.count; i++)
    integers.insert(integers.end(), static_cast<std::size_t>(sequences.starts[i + 1] - sequences.starts[i]), i);
  const std::int32_t* onDevice = upload(integers_, integers);
  launch::routeBackward(device_->stream(), probabilities, onDevice, dWeights, balance, onDevice + rows * experts.active,
                        rows, experts.count, experts.active, experts.normalized, dLogits);
}

void CudaBackend::scaleRows(float* x, const float* scales, Index rows, Index dim) {
  if (rows > 0) launch::scaleRows(device_->stream(), x, scales, rows, dim);
}

void CudaBackend::rowDots(const float* a, const float* b, Index rows, Index dim, float* dots) {
  if (rows > 0) launch::rowDots(device_->stream(), a, b, rows, dim, dots);
}

void CudaBackend::logSoftmax(const float* logits, const std::int32_t* targets, Index rows, Index vocab, float* logp,
                             float* entropy, float* lse) {
  if (rows == 0) return;
  launch::logSoftmax(device_->stream(), logits, upload(integers_, targets, rows), rows, vocab, logp, entropy, lse);
}

void CudaBackend::logSoftmaxBackward(float* logits, const std::int32_t* targets, Index rows, Index vocab,
                                     const float* lse, const float* entropy, const float* gLogp,
                                     const float* gEntropy) {
  if (rows == 0) return;
  launch::logSoftmaxBackward(device_->stream(), logits, upload(integers_, targets, rows), rows, vocab, lse, entropy,
                             gLogp, gEntropy);
}

float CudaBackend::softmax(float* logits, Index vocab, double scale) {
  float* onDevice = scratch_.reserve(1);
  launch::softmax(device_->stream(), logits, vocab, static_cast<float>(scale), onDevice);
  float lse = 0.0f;
  download(onDevice, 1, &lse);
  return lse;
}

void CudaBackend::add(float* y, const float* x, Index n) {
  if (n > 0) launch::add(device_->stream(), y, x, n);
}

double CudaBackend::squaredNorm(const float* x, Index n) {
  if (n == 0) return 0.0;
  auto* onDevice = reinterpret_cast<double*>(scratch_.reserve(2 + (n + normBlock - 1) / normBlock));
  launch::squaredNorm(device_->stream(), x, n, reinterpret_cast<float*>(onDevice + 1), onDevice);
  double sum = 0.0;
  device_->download(onDevice, sizeof sum, &sum);
  return sum;
}

void CudaBackend::adamw(float* p, const float* g, float* m, float* v, Index n, const AdamwOptions& o, std::int64_t step,
                        double weightDecay, double gradScale) {
  if (n == 0) return;
  const double power = static_cast<double>(step);
  launch::adamw(
      device_->stream(), p, g, m, v, n,
      {static_cast<float>(o.lr), static_cast<float>(o.beta1), static_cast<float>(o.beta2), static_cast<float>(o.eps),
       static_cast<float>(weightDecay), static_cast<float>(1.0 / (1.0 - std::pow(o.beta1, power))),
       static_cast<float>(1.0 / (1.0 - std::pow(o.beta2, power))), static_cast<float>(gradScale)});
}

struct CudaBackend::CacheTables {
  float* const* pages;
  const std::int32_t *first, *visible;
};

CudaBackend::CacheTables CudaBackend::cacheTables(const CachedRow* rows, Index count) {
  std::vector<float*> pages;
  std::vector<std::int32_t> integers;
  for (Index row = 0; row < count; row++) {
    integers.push_back(static_cast<std::int32_t>(pages.size()));
    pages.insert(pages.end(), rows[row].pages, rows[row].pages + (rows[row].visible + cachePage - 1) / cachePage);
  }
  for (Index row = 0; row < count; row++) integers.push_back(static_cast<std::int32_t>(rows[row].visible));
  const std::int32_t* onDevice = upload(integers_, integers);
  return {upload(pointers_, pages), onDevice, onDevice + count};
}

void CudaBackend::cacheWrite(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                             Index layerOffset) {
  if (count == 0) return;
  const CacheTables t = cacheTables(rows, count);
  launch::cacheWrite(device_->stream(), qkv, t.pages, t.first, t.visible, count, headsOf(shape), layerOffset);
}

void CudaBackend::cacheAttention(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                                 Index layerOffset, float* out) {
  if (count == 0) return;
  const CacheTables t = cacheTables(rows, count);
  launch::cacheAttention(device_->stream(), qkv, t.pages, t.first, t.visible, count, headsOf(shape), layerOffset, out);
}

}  // namespace actors::cuda
