#pragma once

#include "gpu.h"

// Sums and maxima over a warp or a block, in an order fixed by the number of threads: the same bits in every run.
// Every thread gets the result.

namespace actors::cuda {

__device__ inline float warpSum(float value) {
  for (int distance = warpThreads / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(wholeWarp, value, distance);
  return value;
}

__device__ inline float warpMax(float value) {
  for (int distance = warpThreads / 2; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(wholeWarp, value, distance));
  return value;
}

/// Blocks are whole warps, 32 of them at most; `ofWarp` is one of the two above and `nothing` what changes no result.
template <class OfWarp>
__device__ inline float overBlock(float value, float nothing, OfWarp ofWarp) {
  SHARED(float, parts, warpThreads);
  value = ofWarp(value);
  __syncthreads();  // readers of an earlier result have to be done
  if (laneIndex() == 0) parts[warpIndex()] = value;
  __syncthreads();
  return ofWarp(laneIndex() < static_cast<int>(blockDim.x) / warpThreads ? parts[laneIndex()] : nothing);
}

__device__ inline float blockSum(float value) {
  return overBlock(value, 0.0f, [](float v) { return warpSum(v); });
}
__device__ inline float blockMax(float value) {
  return overBlock(value, -INFINITY, [](float v) { return warpMax(v); });
}

}  // namespace actors::cuda
