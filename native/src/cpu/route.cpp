// Choosing experts on the CPU. A row has few experts next to the work they do, so plain loops in fp32 will do.

#include <algorithm>

#include "backend.h"

namespace actors::cpu {

namespace {
constexpr Index rowGrain = 32;
}

void CpuBackend::route(float* logits, Index rows, const Experts& experts, std::int32_t* chosen, float* weights) {
  const Index count = experts.count, active = experts.active;
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    for (Index row = first; row < last; row++) {
      float* p = logits + row * count;
      std::int32_t* mine = chosen + row * active;
      k_.softmax(p, count, 1.0f);
      float mass = 0.0f;
      for (Index k = 0; k < active; k++) {
        std::int32_t best = -1;
        for (std::int32_t e = 0; e < count; e++) {
          if (std::find(mine, mine + k, e) == mine + k && (best < 0 || p[e] > p[best])) best = e;
        }
        mine[k] = best;
        mass += p[best];
      }
      for (Index k = 0; k < active; k++)
        weights[row * active + k] = experts.normalized ? p[mine[k]] / mass : p[mine[k]];
    }
  });
}

void CpuBackend::routeBackward(const float* probabilities, const std::int32_t* chosen, const float* dWeights,
                               const float* balance, const Sequences& sequences, const Experts& experts,
                               float* dLogits) {
  const Index count = experts.count, active = experts.active;
  workers_.parallel(sequences.count, [&](Index sequence, int) {
    for (Index row = sequences.starts[sequence]; row < sequences.starts[sequence + 1]; row++) {
      const float *p = probabilities + row * count, *dW = dWeights + row * active;
      const std::int32_t* mine = chosen + row * active;
      float* d = dLogits + row * count;
      for (Index e = 0; e < count; e++) d[e] = balance == nullptr ? 0.0f : balance[sequence * count + e];
      float mass = 1.0f, mean = 0.0f;
      if (experts.normalized) {
        // w = p / mass: dp = (dW - sum of w dW) / mass
        mass = 0.0f;
        for (Index k = 0; k < active; k++) mass += p[mine[k]];
        for (Index k = 0; k < active; k++) mean += dW[k] * p[mine[k]] / mass;
      }
      for (Index k = 0; k < active; k++) d[mine[k]] += (dW[k] - mean) / mass;
      float dot = 0.0f;
      for (Index e = 0; e < count; e++) dot += d[e] * p[e];
      for (Index e = 0; e < count; e++) d[e] = p[e] * (d[e] - dot);
    }
  });
}

void CpuBackend::scaleRows(float* x, const float* scales, Index rows, Index dim) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    for (Index row = first; row < last; row++) k_.scale(x + row * dim, scales[row], dim);
  });
}

void CpuBackend::rowDots(const float* a, const float* b, Index rows, Index dim, float* dots) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    for (Index row = first; row < last; row++) dots[row] = k_.dot(a + row * dim, b + row * dim, dim);
  });
}

}  // namespace actors::cpu
