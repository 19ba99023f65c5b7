// One AdamW step (Loshchilov & Hutter 2019): a thread an element.

#include "gpu.h"
#include "kernels.h"

namespace actors::cuda {

namespace {

constexpr int threads = 256;

__global__ void adamwElement(float* p, const float* g, float* m, float* v, Index n, AdamwStep s) {
  const Index i = globalIndex();
  if (i >= n) return;
  const float gradient = g[i] * s.gradScale;
  const float first = m[i] * s.beta1 + gradient * (1.0f - s.beta1);
  const float second = v[i] * s.beta2 + gradient * gradient * (1.0f - s.beta2);
  m[i] = first;
  v[i] = second;
  p[i] =
      p[i] * (1.0f - s.lr * s.weightDecay) - s.lr * (first * s.correction1) / (sqrtf(second * s.correction2) + s.eps);
}

}  // namespace

void launch::adamw(Stream stream, float* p, const float* g, float* m, float* v, Index n, const AdamwStep& step) {
  LAUNCH(adamwElement, dim3(blocksFor(n, threads)), dim3(threads), stream, p, g, m, v, n, step);
}

}  // namespace actors::cuda
