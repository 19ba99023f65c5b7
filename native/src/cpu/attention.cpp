// Causal attention of the CPU backend: over packed sequences for training, over cached pages for generation.
// Training works in blocks of query rows and replays the probabilities in the backward pass from their normaliser, so
// memory grows with block x length (Dao et al. 2022, "FlashAttention", section 3.1), not with length squared.

#include <cmath>
#include <cstring>

#include "backend.h"

namespace actors::cpu {

namespace {

constexpr Index queryBlock = 64;

Index panels(Index columns) { return (columns + panelWidth - 1) / panelWidth * panelWidth; }
float attentionScale(const AttentionShape& shape) { return 1.0f / std::sqrt(static_cast<float>(shape.headDim)); }

/// Hands out pieces of one scratch allocation.
class Carver {
 public:
  explicit Carver(float* memory) : next_(memory) {}
  float* take(Index floats) {
    float* piece = next_;
    next_ += aligned(floats);
    return piece;
  }

 private:
  float* next_;
};

}  // namespace

void CpuBackend::headForward(const float* qkv, Index first, Index length, Index head, const AttentionShape& shape,
                             float* out, float* lse, float* scratch) {
  const Index d = shape.headDim, ld = shape.rowDim(), kvHead = head / (shape.heads / shape.kvHeads);
  const float* q = qkv + first * ld + head * d;
  const float* k = qkv + first * ld + shape.queryDim() + kvHead * d;
  const float* v = k + shape.kvDim();
  const float scale = attentionScale(shape);
  Carver carver(scratch);
  float* keys = carver.take(panels(length) * d);
  float* values = carver.take(panels(d) * length);
  float* scores = carver.take(queryBlock * length);
  k_.packTransposed(k, d, length, ld, keys);
  k_.pack(v, length, d, ld, values);
  for (Index i0 = 0; i0 < length; i0 += queryBlock) {
    const Index rows = std::min(queryBlock, length - i0), visible = i0 + rows;
    k_.gemm(rows, visible, d, q + i0 * ld, ld, 1, keys, d * panelWidth, scores, visible, false);
    for (Index i = 0; i < rows; i++) {
      float* row = scores + i * visible;
      lse[(first + i0 + i) * shape.heads + head] = k_.softmax(row, i0 + i + 1, scale);
      std::fill(row + i0 + i + 1, row + visible, 0.0f);
    }
    float* block = out + (first + i0) * shape.queryDim() + head * d;
    k_.gemm(rows, d, visible, scores, visible, 1, values, length * panelWidth, block, shape.queryDim(), false);
  }
}

void CpuBackend::attention(const float* qkv, const Sequences& sequences, const AttentionShape& shape, float* out,
                           float* lse) {
  workers_.parallel(sequences.count * shape.heads, [&](Index piece, int worker) {
    const Index sequence = piece / shape.heads, first = sequences.starts[sequence];
    const Index length = sequences.starts[sequence + 1] - first;
    if (length == 0) return;
    float* memory = scratch(
        worker, panels(length) * shape.headDim + panels(shape.headDim) * length + queryBlock * length + 3 * aligned(1));
    headForward(qkv, first, length, piece % shape.heads, shape, out, lse, memory);
  });
}

void CpuBackend::headBackward(const float* qkv, const float* lse, const float* dOut, Index first, Index length,
                              Index kvHead, const AttentionShape& shape, float* dQkv, float* scratch) {
  const Index d = shape.headDim, ld = shape.rowDim(), group = shape.heads / shape.kvHeads;
  const Index keyColumn = shape.queryDim() + kvHead * d, valueColumn = keyColumn + shape.kvDim();
  const float* k = qkv + first * ld + keyColumn;
  const float* v = qkv + first * ld + valueColumn;
  float* dK = dQkv + first * ld + keyColumn;
  float* dV = dQkv + first * ld + valueColumn;
  const float scale = attentionScale(shape);
  Carver carver(scratch);
  float* keysT = carver.take(panels(length) * d);
  float* valuesT = carver.take(panels(length) * d);
  float* keys = carver.take(panels(d) * length);
  float* block = carver.take(panels(d) * queryBlock);
  float* p = carver.take(queryBlock * length);
  float* dP = carver.take(queryBlock * length);
  k_.packTransposed(k, d, length, ld, keysT);
  k_.packTransposed(v, d, length, ld, valuesT);
  k_.pack(k, length, d, ld, keys);
  for (Index row = 0; row < length; row++) {
    std::fill(dK + row * ld, dK + row * ld + d, 0.0f);
    std::fill(dV + row * ld, dV + row * ld + d, 0.0f);
  }
  for (Index head = kvHead * group; head < (kvHead + 1) * group; head++) {
    for (Index i0 = 0; i0 < length; i0 += queryBlock) {
      const Index rows = std::min(queryBlock, length - i0), visible = i0 + rows;
      const float* q = qkv + (first + i0) * ld + head * d;
      const float* dO = dOut + (first + i0) * shape.queryDim() + head * d;
      k_.gemm(rows, visible, d, q, ld, 1, keysT, d * panelWidth, p, visible, false);
      k_.gemm(rows, visible, d, dO, shape.queryDim(), 1, valuesT, d * panelWidth, dP, visible, false);
      for (Index i = 0; i < rows; i++) {
        k_.softmaxReplay(p + i * visible, i0 + i + 1, visible, scale, lse[(first + i0 + i) * shape.heads + head]);
        k_.softmaxBackward(p + i * visible, dP + i * visible, i0 + i + 1, visible, scale);
      }
      k_.gemm(rows, d, visible, dP, visible, 1, keys, length * panelWidth, dQkv + (first + i0) * ld + head * d, ld,
              false);
      k_.pack(q, rows, d, ld, block);
      k_.gemm(visible, d, rows, dP, 1, visible, block, rows * panelWidth, dK, ld, true);
      k_.pack(dO, rows, d, shape.queryDim(), block);
      k_.gemm(visible, d, rows, p, 1, visible, block, rows * panelWidth, dV, ld, true);
    }
  }
}

void CpuBackend::attentionBackward(const float* qkv, const float*, const float* lse, const float* dOut,
                                   const Sequences& sequences, const AttentionShape& shape, float* dQkv) {
  // One piece a key-value head: the query heads that share it add to its gradient in order.
  workers_.parallel(sequences.count * shape.kvHeads, [&](Index piece, int worker) {
    const Index sequence = piece / shape.kvHeads, first = sequences.starts[sequence];
    const Index length = sequences.starts[sequence + 1] - first;
    if (length == 0) return;
    const Index d = shape.headDim;
    float* memory = scratch(
        worker, 2 * panels(length) * d + panels(d) * (length + queryBlock) + 2 * queryBlock * length + 6 * aligned(1));
    headBackward(qkv, lse, dOut, first, length, piece % shape.kvHeads, shape, dQkv, memory);
  });
}

void CpuBackend::cacheWrite(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                            Index layerOffset) {
  const Index d = shape.headDim;
  for (Index row = 0; row < count; row++) {
    const Index position = rows[row].visible - 1, slot = position % pageSize;
    float* page = rows[row].pages[position / pageSize] + layerOffset;
    const float* k = qkv + row * shape.rowDim() + shape.queryDim();
    const float* v = k + shape.kvDim();
    for (Index head = 0; head < shape.kvHeads; head++, page += 2 * d * pageSize) {
      // Keys lie transposed, so that sixteen scores come from whole vectors without a horizontal sum.
      for (Index i = 0; i < d; i++) page[i * pageSize + slot] = k[head * d + i];
      std::memcpy(page + d * pageSize + slot * d, v + head * d, static_cast<std::size_t>(d) * sizeof(float));
    }
  }
}

void CpuBackend::cacheAttention(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                                Index layerOffset, float* out) {
  const Index d = shape.headDim, group = shape.heads / shape.kvHeads;
  const float scale = attentionScale(shape);
  slices(count, 4, [&](Index first, Index last, int worker) {
    for (Index row = first; row < last; row++) {
      float* scores = scratch(worker, (rows[row].visible + pageSize) / pageSize * pageSize);
      for (Index head = 0; head < shape.heads; head++) {
        k_.attendCached(qkv + row * shape.rowDim() + head * d, rows[row].pages,
                        layerOffset + head / group * 2 * d * pageSize, rows[row].visible, d, scale, scores,
                        out + row * shape.queryDim() + head * d);
      }
    }
  });
}

}  // namespace actors::cpu
