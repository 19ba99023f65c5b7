// delta [rows, heads] = out . dOut, the mean of a row's score gradients: a warp each.

#include "kernels.h"
#include "reduce.h"

namespace actors::cuda {

namespace {

constexpr int warps = 4;

__global__ void headDots(const float* out, const float* dOut, Index count, int headDim, float* delta) {
  const Index piece = static_cast<Index>(blockIdx.x) * warps + warpIndex();
  if (piece >= count) return;
  float dot = 0.0f;
  for (Index i = laneIndex(); i < headDim; i += warpThreads)
    dot += out[piece * headDim + i] * dOut[piece * headDim + i];
  dot = warpSum(dot);
  if (laneIndex() == 0) delta[piece] = dot;
}

}  // namespace

void launch::attentionDeltas(Stream stream, const float* out, const float* dOut, Index rows, Heads h, float* delta) {
  LAUNCH(headDots, dim3(blocksFor(rows * h.heads, warps)), dim3(warps * warpThreads), stream, out, dOut, rows * h.heads,
         h.headDim, delta);
}

}  // namespace actors::cuda
