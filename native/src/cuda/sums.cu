// Sums over rows and over whole arrays, without atomics: blocks write partial sums, which are then added in order.

#include "kernels.h"
#include "reduce.h"

namespace actors::cuda {

namespace {

constexpr int threads = 256;

/// A thread a column, a block of rows each.
__global__ void sumColumns(const float* x, Index rows, Index dim, float* partial) {
  const Index column = globalIndex();
  if (column >= dim) return;
  const Index first = static_cast<Index>(blockIdx.y) * sumBlock,
              last = first + sumBlock < rows ? first + sumBlock : rows;
  float sum = 0.0f;
  for (Index row = first; row < last; row++) sum += x[row * dim + column];
  partial[static_cast<Index>(blockIdx.y) * dim + column] = sum;
}

__global__ void sumPartials(const float* partial, Index blocks, Index stride, Index dim, float* total) {
  const Index column = globalIndex();
  if (column >= dim) return;
  float sum = total[column];
  for (Index block = 0; block < blocks; block++) sum += partial[block * stride + column];
  total[column] = sum;
}

__global__ void sumSquares(const float* x, Index n, float* partial) {
  const Index first = static_cast<Index>(blockIdx.x) * normBlock, last = first + normBlock < n ? first + normBlock : n;
  float sum = 0.0f;
  for (Index i = first + threadIdx.x; i < last; i += threads) sum += x[i] * x[i];
  sum = blockSum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// One block: every thread adds a part in fp64, the first one adds the parts.
__global__ void sumDoubles(const float* partial, Index n, double* result) {
  SHARED(double, parts, threads);
  double sum = 0.0;
  for (Index i = threadIdx.x; i < n; i += threads) sum += static_cast<double>(partial[i]);
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < threads; i++) sum += parts[i];
  *result = sum;
}

}  // namespace

void launch::columnSums(Stream stream, const float* x, Index rows, Index dim, float* sums, float* partial) {
  LAUNCH(sumColumns, dim3(blocksFor(dim, threads), static_cast<unsigned>(sumBlocks(rows))), dim3(threads), stream, x,
         rows, dim, partial);
  addPartials(stream, partial, sumBlocks(rows), dim, dim, sums);
}

void launch::addPartials(Stream stream, const float* partial, Index blocks, Index stride, Index dim, float* total) {
  LAUNCH(sumPartials, dim3(blocksFor(dim, threads)), dim3(threads), stream, partial, blocks, stride, dim, total);
}

void launch::squaredNorm(Stream stream, const float* x, Index n, float* partial, double* result) {
  const unsigned blocks = blocksFor(n, normBlock);
  LAUNCH(sumSquares, dim3(blocks), dim3(threads), stream, x, n, partial);
  LAUNCH(sumDoubles, dim3(1), dim3(threads), stream, partial, Index{blocks}, result);
}

}  // namespace actors::cuda
