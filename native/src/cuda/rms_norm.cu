// RMS norm of rows: one block a row; the weight's gradient in blocks of rows whose sums are added in order.

#include "kernels.h"
#include "reduce.h"

namespace actors::cuda {

namespace {

constexpr int rowThreads = 256;

__global__ void rmsNormRow(const float* x, const float* weight, Index dim, float eps, float* y, float* rstd) {
  const Index at = static_cast<Index>(blockIdx.x) * dim;
  float squares = 0.0f;
  for (Index i = threadIdx.x; i < dim; i += rowThreads) squares += x[at + i] * x[at + i];
  const float scale = 1.0f / sqrtf(blockSum(squares) / static_cast<float>(dim) + eps);
  if (rstd != nullptr && threadIdx.x == 0) rstd[blockIdx.x] = scale;
  for (Index i = threadIdx.x; i < dim; i += rowThreads) y[at + i] = x[at + i] * scale * weight[i];
}

__global__ void rmsNormInput(const float* dy, const float* x, const float* weight, const float* rstd, Index dim,
                             float* dx) {
  const Index at = static_cast<Index>(blockIdx.x) * dim;
  const float scale = rstd[blockIdx.x];
  float dots = 0.0f;
  for (Index i = threadIdx.x; i < dim; i += rowThreads) dots += dy[at + i] * weight[i] * x[at + i];
  const float shared = blockSum(dots) * scale * scale / static_cast<float>(dim);
  for (Index i = threadIdx.x; i < dim; i += rowThreads)
    dx[at + i] += scale * (dy[at + i] * weight[i] - x[at + i] * shared);
}

/// A thread a column, a block of rows each.
__global__ void rmsNormWeight(const float* dy, const float* x, const float* rstd, Index rows, Index dim,
                              float* partial) {
  const Index column = globalIndex();
  if (column >= dim) return;
  const Index first = static_cast<Index>(blockIdx.y) * sumBlock,
              last = first + sumBlock < rows ? first + sumBlock : rows;
  float sum = 0.0f;
  for (Index row = first; row < last; row++) sum += dy[row * dim + column] * x[row * dim + column] * rstd[row];
  partial[static_cast<Index>(blockIdx.y) * dim + column] = sum;
}

}  // namespace

void launch::rmsNorm(Stream stream, const float* x, const float* weight, Index rows, Index dim, float eps, float* y,
                     float* rstd) {
  LAUNCH(rmsNormRow, dim3(static_cast<unsigned>(rows)), dim3(rowThreads), stream, x, weight, dim, eps, y, rstd);
}

void launch::rmsNormBackward(Stream stream, const float* dy, const float* x, const float* weight, const float* rstd,
                             Index rows, Index dim, float* dx, float* dWeight, float* partial) {
  LAUNCH(rmsNormInput, dim3(static_cast<unsigned>(rows)), dim3(rowThreads), stream, dy, x, weight, rstd, dim, dx);
  LAUNCH(rmsNormWeight, dim3(blocksFor(dim, rowThreads), static_cast<unsigned>(sumBlocks(rows))), dim3(rowThreads),
         stream, dy, x, rstd, rows, dim, partial);
  addPartials(stream, partial, sumBlocks(rows), dim, dim, dWeight);
}

}  // namespace actors::cuda
