// RMS norm of query and key heads (Qwen3): the kernels of whole rows, with a head as the row.

#include <cstring>

#include "backend.h"

namespace actors::cpu {

namespace {
constexpr Index rowGrain = 32;
}

void CpuBackend::headNorm(const float* qkv, const HeadNorm& norm, Index rows, const AttentionShape& shape, float* out) {
  const Index ld = shape.rowDim(), keys = shape.queryDim(), values = keys + shape.kvDim();
  const auto eps = static_cast<float>(norm.eps);
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    for (Index row = first; row < last; row++) {
      const float* x = qkv + row * ld;
      float* y = out + row * ld;
      k_.rmsNorm(x, norm.query, y, nullptr, shape.heads, shape.headDim, eps);
      k_.rmsNorm(x + keys, norm.key, y + keys, nullptr, shape.kvHeads, shape.headDim, eps);
      if (x != y) std::memcpy(y + values, x + values, static_cast<std::size_t>(shape.kvDim()) * sizeof(float));
    }
  });
}

void CpuBackend::headNormBackward(const float* qkv, const HeadNorm& norm, Index rows, const AttentionShape& shape,
                                  float* dQkv, float* dQuery, float* dKey) {
  const Index ld = shape.rowDim(), d = shape.headDim, heads = shape.heads + shape.kvHeads, width = heads * d;
  float* weights = headWeights_.reserve(2 * d);
  zero(weights, 2 * d);
  sumBlocks(rows, 2 * d, weights, [&](Index first, Index last, float* sums, int worker) {
    float* dy = scratch(worker, 2 * width + heads);
    float *y = dy + width, *rstd = y + width;  // y is not wanted, only the rstd that comes with it
    for (Index row = first; row < last; row++) {
      const float* x = qkv + row * ld;
      float* dx = dQkv + row * ld;
      std::memcpy(dy, dx, static_cast<std::size_t>(width) * sizeof(float));
      zero(dx, width);
      const auto part = [&](Index from, Index count, const float* weight, float* sum) {
        const Index at = from * d;
        k_.rmsNorm(x + at, weight, y, rstd, count, d, static_cast<float>(norm.eps));
        k_.rmsNormBackward(dy + at, x + at, weight, rstd, dx + at, sum, count, d);
      };
      part(0, shape.heads, norm.query, sums);
      part(shape.heads, shape.kvHeads, norm.key, sums + d);
    }
  });
  k_.add(dQuery, weights, d);
  k_.add(dKey, weights + d, d);
}

}  // namespace actors::cpu
