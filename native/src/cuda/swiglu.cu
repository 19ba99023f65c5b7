// act = silu(gate) * up over rows [gate | up], and its gradient: a thread an element.

#include "gpu.h"
#include "kernels.h"

namespace actors::cuda {

namespace {

constexpr int threads = 256;

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__global__ void swigluElement(const float* gateUp, Index n, Index ffn, float* act) {
  const Index i = globalIndex();
  if (i >= n) return;
  const Index at = i / ffn * 2 * ffn + i % ffn;
  act[i] = gateUp[at] * sigmoid(gateUp[at]) * gateUp[at + ffn];
}

__global__ void swigluGradient(const float* gateUp, const float* dAct, Index n, Index ffn, float* dGateUp) {
  const Index i = globalIndex();
  if (i >= n) return;
  const Index at = i / ffn * 2 * ffn + i % ffn;
  const float gate = gateUp[at], s = sigmoid(gate), silu = gate * s, d = dAct[i];
  dGateUp[at] = d * gateUp[at + ffn] * (s + silu * (1.0f - s));
  dGateUp[at + ffn] = d * silu;
}

}  // namespace

void launch::swiglu(Stream stream, const float* gateUp, Index rows, Index ffn, float* act) {
  LAUNCH(swigluElement, dim3(blocksFor(rows * ffn, threads)), dim3(threads), stream, gateUp, rows * ffn, ffn, act);
}

void launch::swigluBackward(Stream stream, const float* gateUp, const float* dAct, Index rows, Index ffn,
                            float* dGateUp) {
  LAUNCH(swigluGradient, dim3(blocksFor(rows * ffn, threads)), dim3(threads), stream, gateUp, dAct, rows * ffn, ffn,
         dGateUp);
}

}  // namespace actors::cuda
