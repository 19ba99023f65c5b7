// Rows that move, are scaled, added or multiplied: a thread an element, a warp a dot product.

#include "kernels.h"
#include "reduce.h"

namespace actors::cuda {

namespace {

constexpr int threads = 256, warps = threads / warpThreads;

__global__ void gatherElement(const float* table, const std::int32_t* rows, Index n, Index dim, float* y) {
  const Index i = globalIndex();
  if (i < n) y[i] = table[rows[i / dim] * dim + i % dim];
}

/// Rows that go to the same place are added by the same thread, in order.
__global__ void scatterElement(const float* y, const std::int32_t* target, const std::int32_t* starts,
                               const std::int32_t* source, Index n, Index dim, float* table) {
  const Index i = globalIndex();
  if (i >= n) return;
  const Index place = i / dim, column = i % dim;
  float* to = table + target[place] * dim + column;
  float sum = *to;
  for (std::int32_t from = starts[place]; from < starts[place + 1]; from++) sum += y[source[from] * dim + column];
  *to = sum;
}

__global__ void addBiasElement(float* y, const float* bias, Index n, Index dim) {
  const Index i = globalIndex();
  if (i < n) y[i] += bias[i % dim];
}

__global__ void scaleElement(float* x, const float* scales, Index n, Index dim) {
  const Index i = globalIndex();
  if (i < n) x[i] *= scales[i / dim];
}

__global__ void addElement(float* y, const float* x, Index n) {
  const Index i = globalIndex();
  if (i < n) y[i] += x[i];
}

__global__ void dotRow(const float* a, const float* b, Index rows, Index dim, float* dots) {
  const Index row = static_cast<Index>(blockIdx.x) * warps + warpIndex();
  if (row >= rows) return;
  float sum = 0.0f;
  for (Index i = laneIndex(); i < dim; i += warpThreads) sum += a[row * dim + i] * b[row * dim + i];
  sum = warpSum(sum);
  if (laneIndex() == 0) dots[row] = sum;
}

}  // namespace

void launch::gather(Stream stream, const float* table, const std::int32_t* rows, Index count, Index dim, float* y) {
  LAUNCH(gatherElement, dim3(blocksFor(count * dim, threads)), dim3(threads), stream, table, rows, count * dim, dim, y);
}

void launch::scatterAdd(Stream stream, const float* y, const std::int32_t* target, const std::int32_t* starts,
                        const std::int32_t* source, Index count, Index dim, float* table) {
  LAUNCH(scatterElement, dim3(blocksFor(count * dim, threads)), dim3(threads), stream, y, target, starts, source,
         count * dim, dim, table);
}

void launch::addBias(Stream stream, float* y, const float* bias, Index rows, Index dim) {
  LAUNCH(addBiasElement, dim3(blocksFor(rows * dim, threads)), dim3(threads), stream, y, bias, rows * dim, dim);
}

void launch::scaleRows(Stream stream, float* x, const float* scales, Index rows, Index dim) {
  LAUNCH(scaleElement, dim3(blocksFor(rows * dim, threads)), dim3(threads), stream, x, scales, rows * dim, dim);
}

void launch::add(Stream stream, float* y, const float* x, Index n) {
  LAUNCH(addElement, dim3(blocksFor(n, threads)), dim3(threads), stream, y, x, n);
}

void launch::rowDots(Stream stream, const float* a, const float* b, Index rows, Index dim, float* dots) {
  LAUNCH(dotRow, dim3(blocksFor(rows, warps)), dim3(threads), stream, a, b, rows, dim, dots);
}

}  // namespace actors::cuda
