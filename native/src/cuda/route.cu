// Choosing the experts of a mixture, and the gradient of that choice: a warp a row.

#include "kernels.h"
#include "reduce.h"

namespace actors::cuda {

namespace {

constexpr int warps = 4;

__device__ inline Index warpRow() { return static_cast<Index>(blockIdx.x) * warps + warpIndex(); }

__device__ inline void softmaxWarp(float* p, Index count) {
  float top = -INFINITY, sum = 0.0f;
  for (Index e = laneIndex(); e < count; e += warpThreads) top = fmaxf(top, p[e]);
  top = warpMax(top);
  for (Index e = laneIndex(); e < count; e += warpThreads) {
    p[e] = expf(p[e] - top);
    sum += p[e];
  }
  sum = warpSum(sum);
  for (Index e = laneIndex(); e < count; e += warpThreads) p[e] /= sum;
}

/// The likeliest expert that comes after `last` in the order by probability, then index.
__device__ inline int nextBest(const float* p, Index count, float lastValue, int last) {
  float best = -INFINITY;
  int index = static_cast<int>(count);
  for (Index e = laneIndex(); e < count; e += warpThreads) {
    const bool left = p[e] < lastValue || (p[e] == lastValue && static_cast<int>(e) > last);
    if (left && p[e] > best) {
      best = p[e];
      index = static_cast<int>(e);
    }
  }
  for (int distance = warpThreads / 2; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(wholeWarp, best, distance);
    const int otherIndex = __shfl_xor_sync(wholeWarp, index, distance);
    if (other > best || (other == best && otherIndex < index)) {
      best = other;
      index = otherIndex;
    }
  }
  return index;
}

__global__ void routeRow(float* logits, Index rows, Index count, Index active, bool normalized, std::int32_t* chosen,
                         float* weights) {
  const Index row = warpRow();
  if (row >= rows) return;
  float* p = logits + row * count;
  softmaxWarp(p, count);
  __syncwarp();
  float value = INFINITY, mass = 0.0f;
  int expert = -1;
  for (Index k = 0; k < active; k++) {
    expert = nextBest(p, count, value, expert);
    if (expert >= count) expert = static_cast<int>(k);  // a row that is not a number: any experts will do
    value = p[expert];
    mass += value;
    if (laneIndex() == 0) {
      chosen[row * active + k] = expert;
      weights[row * active + k] = value;
    }
  }
  __syncwarp();
  if (normalized)
    for (Index k = laneIndex(); k < active; k += warpThreads) weights[row * active + k] /= mass;
}

__global__ void routeGradient(const float* probabilities, const std::int32_t* chosen, const float* dWeights,
                              const float* balance, const std::int32_t* sequenceOf, Index rows, Index count,
                              Index active, bool normalized, float* dLogits) {
  const Index row = warpRow();
  if (row >= rows) return;
  const float *p = probabilities + row * count, *dW = dWeights + row * active;
  const std::int32_t* mine = chosen + row * active;
  const float* shared = balance == nullptr ? nullptr : balance + sequenceOf[row] * count;
  float mass = 1.0f, mean = 0.0f;
  if (normalized) {
    // w = p / mass: dp = (dW - sum of w dW) / mass
    mass = 0.0f;
    for (Index k = 0; k < active; k++) mass += p[mine[k]];
    for (Index k = 0; k < active; k++) mean += dW[k] * p[mine[k]] / mass;
  }
  float* d = dLogits + row * count;
  float dot = 0.0f;
  for (Index e = laneIndex(); e < count; e += warpThreads) {
    float gradient = shared == nullptr ? 0.0f : shared[e];
    for (Index k = 0; k < active; k++)
      if (mine[k] == static_cast<std::int32_t>(e)) gradient += (dW[k] - mean) / mass;
    d[e] = gradient;
    dot += gradient * p[e];
  }
  dot = warpSum(dot);
  for (Index e = laneIndex(); e < count; e += warpThreads) d[e] = p[e] * (d[e] - dot);
}

}  // namespace

void launch::route(Stream stream, float* logits, Index rows, Index experts, Index active, bool normalized,
                   std::int32_t* chosen, float* weights) {
  LAUNCH(routeRow, dim3(blocksFor(rows, warps)), dim3(warps * warpThreads), stream, logits, rows, experts, active,
         normalized, chosen, weights);
}

void launch::routeBackward(Stream stream, const float* probabilities, const std::int32_t* chosen, const float* dWeights,
                           const float* balance, const std::int32_t* sequenceOf, Index rows, Index experts,
                           Index active, bool normalized, float* dLogits) {
  LAUNCH(routeGradient, dim3(blocksFor(rows, warps)), dim3(warps * warpThreads), stream, probabilities, chosen,
         dWeights, balance, sequenceOf, rows, experts, active, normalized, dLogits);
}

}  // namespace actors::cuda
