// Log-probability of a target, entropy and normaliser of rows of logits, their gradient in place, and softmax of one
// row: a block a row.

#include "kernels.h"
#include "reduce.h"

namespace actors::cuda {

namespace {

constexpr int rowThreads = 512;

__device__ inline float rowMax(const float* row, Index vocab, float scale) {
  float top = -INFINITY;
  for (Index i = threadIdx.x; i < vocab; i += rowThreads) top = fmaxf(top, row[i] * scale);
  return blockMax(top);
}

__global__ void logSoftmaxRow(const float* logits, const std::int32_t* targets, Index vocab, float* logp,
                              float* entropy, float* lse) {
  const float* row = logits + static_cast<Index>(blockIdx.x) * vocab;
  const float top = rowMax(row, vocab, 1.0f);
  float sum = 0.0f, product = 0.0f;
  for (Index i = threadIdx.x; i < vocab; i += rowThreads) {
    const float shifted = row[i] - top, e = expf(shifted);
    sum += e;
    product += e * shifted;
  }
  sum = blockSum(sum);
  product = blockSum(product);
  if (threadIdx.x != 0) return;
  const float logSum = logf(sum);
  lse[blockIdx.x] = top + logSum;
  logp[blockIdx.x] = (row[targets[blockIdx.x]] - top) - logSum;
  entropy[blockIdx.x] = logSum - product / sum;
}

__global__ void logSoftmaxGradient(float* logits, const std::int32_t* targets, Index vocab, const float* lse,
                                   const float* entropy, const float* gLogp, const float* gEntropy) {
  float* row = logits + static_cast<Index>(blockIdx.x) * vocab;
  const float normaliser = lse[blockIdx.x], h = entropy[blockIdx.x], g = gLogp[blockIdx.x], gH = gEntropy[blockIdx.x];
  const Index target = targets[blockIdx.x];
  for (Index i = threadIdx.x; i < vocab; i += rowThreads) {
    const float logP = row[i] - normaliser;
    row[i] = expf(logP) * (-g - gH * (logP + h)) + (i == target ? g : 0.0f);
  }
}

__global__ void softmaxRow(float* row, Index vocab, float scale, float* lse) {
  const float top = rowMax(row, vocab, scale);
  float sum = 0.0f;
  for (Index i = threadIdx.x; i < vocab; i += rowThreads) sum += expf(row[i] * scale - top);
  sum = blockSum(sum);
  for (Index i = threadIdx.x; i < vocab; i += rowThreads) row[i] = expf(row[i] * scale - top) / sum;
  if (threadIdx.x == 0) *lse = top + logf(sum);
}

}  // namespace

void launch::logSoftmax(Stream stream, const float* logits, const std::int32_t* targets, Index rows, Index vocab,
                        float* logp, float* entropy, float* lse) {
  LAUNCH(logSoftmaxRow, dim3(static_cast<unsigned>(rows)), dim3(rowThreads), stream, logits, targets, vocab, logp,
         entropy, lse);
}

void launch::logSoftmaxBackward(Stream stream, float* logits, const std::int32_t* targets, Index rows, Index vocab,
                                const float* lse, const float* entropy, const float* gLogp, const float* gEntropy) {
  LAUNCH(logSoftmaxGradient, dim3(static_cast<unsigned>(rows)), dim3(rowThreads), stream, logits, targets, vocab, lse,
         entropy, gLogp, gEntropy);
}

void launch::softmax(Stream stream, float* logits, Index vocab, float scale, float* lse) {
  LAUNCH(softmaxRow, dim3(1), dim3(rowThreads), stream, logits, vocab, scale, lse);
}

}  // namespace actors::cuda
