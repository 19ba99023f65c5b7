// RMS norm of query and key heads (Qwen3): one warp a head.

#include "kernels.h"
#include "reduce.h"

namespace actors::cuda {

namespace {

constexpr int warps = 4;  ///< of a block

/// 1 / the root mean square of one head.
__device__ inline float headScale(const float* x, int headDim, float eps) {
  float squares = 0.0f;
  for (int i = laneIndex(); i < headDim; i += warpThreads) squares += x[i] * x[i];
  return 1.0f / sqrtf(warpSum(squares) / static_cast<float>(headDim) + eps);
}

/// A warp for each head of a row, the value heads included: those are copied.
__global__ void headNormForward(const float* qkv, const float* query, const float* key, float eps, Index rows, Heads h,
                                float* out) {
  const Index all = h.heads + 2 * h.kvHeads, piece = static_cast<Index>(blockIdx.x) * warps + warpIndex();
  if (piece >= rows * all) return;
  const Index head = piece % all, at = piece * h.headDim;
  const bool value = head >= h.heads + h.kvHeads;
  const float* weight = head < h.heads ? query : key;
  const float scale = headScale(qkv + at, h.headDim, eps);
  for (int i = laneIndex(); i < h.headDim; i += warpThreads)
    out[at + i] = value ? qkv[at + i] : qkv[at + i] * scale * weight[i];
}

/// rstd [rows, heads + kvHeads]
__global__ void headNormScales(const float* qkv, float eps, Index rows, Heads h, float* rstd) {
  const Index all = h.heads + h.kvHeads, piece = static_cast<Index>(blockIdx.x) * warps + warpIndex();
  if (piece >= rows * all) return;
  const Index row = piece / all, head = piece % all;
  const float scale = headScale(qkv + row * h.rowDim() + head * h.headDim, h.headDim, eps);
  if (laneIndex() == 0) rstd[piece] = scale;
}

/// A thread for each element of the two weights, a block of rows each: partial [blocks, query | key].
__global__ void headNormWeights(const float* qkv, const float* dQkv, const float* rstd, Index rows, Heads h,
                                float* partial) {
  const Index column = globalIndex();
  if (column >= 2 * h.headDim) return;
  const bool key = column >= h.headDim;
  const Index from = key ? h.heads : 0, to = key ? h.heads + h.kvHeads : h.heads, i = column % h.headDim;
  const Index first = static_cast<Index>(blockIdx.y) * sumBlock,
              last = first + sumBlock < rows ? first + sumBlock : rows;
  float sum = 0.0f;
  for (Index row = first; row < last; row++) {
    for (Index head = from; head < to; head++) {
      const Index at = row * h.rowDim() + head * h.headDim + i;
      sum += dQkv[at] * qkv[at] * rstd[row * (h.heads + h.kvHeads) + head];
    }
  }
  partial[static_cast<Index>(blockIdx.y) * 2 * h.headDim + column] = sum;
}

__global__ void headNormInput(const float* qkv, const float* query, const float* key, const float* rstd, Index rows,
                              Heads h, float* dQkv) {
  const Index all = h.heads + h.kvHeads, piece = static_cast<Index>(blockIdx.x) * warps + warpIndex();
  if (piece >= rows * all) return;
  const Index row = piece / all, head = piece % all, at = row * h.rowDim() + head * h.headDim;
  const float* weight = head < h.heads ? query : key;
  const float scale = rstd[piece];
  float dots = 0.0f;
  for (int i = laneIndex(); i < h.headDim; i += warpThreads) dots += dQkv[at + i] * weight[i] * qkv[at + i];
  const float shared = warpSum(dots) * scale * scale / static_cast<float>(h.headDim);
  for (int i = laneIndex(); i < h.headDim; i += warpThreads)
    dQkv[at + i] = scale * (dQkv[at + i] * weight[i] - qkv[at + i] * shared);
}

}  // namespace

void launch::headNorm(Stream stream, const float* qkv, const float* query, const float* key, float eps, Index rows,
                      Heads h, float* out) {
  LAUNCH(headNormForward, dim3(blocksFor(rows * (h.heads + 2 * h.kvHeads), warps)), dim3(warps * warpThreads), stream,
         qkv, query, key, eps, rows, h, out);
}

void launch::headNormBackward(Stream stream, const float* qkv, const float* query, const float* key, float eps,
                              Index rows, Heads h, float* dQkv, float* dQuery, float* dKey, float* rstd,
                              float* partial) {
  const dim3 heads(blocksFor(rows * (h.heads + h.kvHeads), warps)), block(warps * warpThreads);
  const auto blocks = static_cast<unsigned>(sumBlocks(rows));
  LAUNCH(headNormScales, heads, block, stream, qkv, eps, rows, h, rstd);
  LAUNCH(headNormWeights, dim3(blocksFor(2 * h.headDim, warps * warpThreads), blocks), block, stream, qkv, dQkv, rstd,
         rows, h, partial);
  LAUNCH(headNormInput, heads, block, stream, qkv, query, key, rstd, rows, h, dQkv);
  addPartials(stream, partial, blocks, 2 * h.headDim, h.headDim, dQuery);
  addPartials(stream, partial + h.headDim, blocks, 2 * h.headDim, h.headDim, dKey);
}

}  // namespace actors::cuda
