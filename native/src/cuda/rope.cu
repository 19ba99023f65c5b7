// Rotary positions: a block a row, a thread a pair; the angle is worked out once and used for every head.

#include "gpu.h"
#include "kernels.h"

namespace actors::cuda {

namespace {

constexpr int rowThreads = 128;

__global__ void ropeRow(float* qkv, Heads h, const std::int32_t* positions, const float* frequencies, float direction) {
  float* row = qkv + static_cast<Index>(blockIdx.x) * h.rowDim();
  const int half = h.headDim / 2;
  for (int pair = static_cast<int>(threadIdx.x); pair < half; pair += rowThreads) {
    const float angle = static_cast<float>(positions[blockIdx.x]) * frequencies[pair];
    const float cosine = cosf(angle), sine = sinf(angle) * direction;
    for (int head = 0; head < h.heads + h.kvHeads; head++) {
      float* x = row + head * h.headDim + pair;
      const float a = x[0], b = x[half];
      x[0] = a * cosine - b * sine;
      x[half] = b * cosine + a * sine;
    }
  }
}

}  // namespace

void launch::rope(Stream stream, float* qkv, Index rows, Heads h, const std::int32_t* positions,
                  const float* frequencies, float direction) {
  LAUNCH(ropeRow, dim3(static_cast<unsigned>(rows)), dim3(rowThreads), stream, qkv, h, positions, frequencies,
         direction);
}

}  // namespace actors::cuda
