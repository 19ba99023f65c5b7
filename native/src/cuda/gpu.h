#pragma once

// What a kernel file is written in: CUDA where nvcc compiles it, else the fiber shim of test/shim.
// SHARED(type, name, count) declares an array of a block; LAUNCH(kernel, grid, block, stream, arguments...) starts one.

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#define SHARED(type, name, count) __shared__ type name[count]
#define LAUNCH(kernel, grid, block, stream, ...)                                \
  do {                                                                          \
    kernel<<<grid, block, 0, static_cast<cudaStream_t>(stream)>>>(__VA_ARGS__); \
    ::actors::cuda::checkLaunch(#kernel);                                       \
  } while (false)

namespace actors::cuda {
/// Throws Internal when the launch before it was refused.
void checkLaunch(const char* kernel);
}  // namespace actors::cuda
#else
#include "shim.h"
#endif

namespace actors::cuda {

using Index = std::ptrdiff_t;

constexpr int warpThreads = 32;
constexpr unsigned wholeWarp = 0xffffffffu;

/// Blocks of `size` things that cover n of them.
inline unsigned blocksFor(Index n, Index size) { return static_cast<unsigned>((n + size - 1) / size); }

/// Of a kernel whose threads each do one thing: which one.
__device__ inline Index globalIndex() {
  return static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
}
__device__ inline int laneIndex() { return static_cast<int>(threadIdx.x) % warpThreads; }
__device__ inline int warpIndex() { return static_cast<int>(threadIdx.x) / warpThreads; }

}  // namespace actors::cuda
