#pragma once

#include "gpu.h"
#include "kernels.h"

// What the attention kernels share. A block of 16 x 16 threads works on a tile of 64 queries by 64 keys: thread (y, x)
// owns queries 4y to 4y + 3 and keys x, x + 16, x + 32, x + 48. Heads pass through shared memory 32 columns at a time,
// so that any head dimension fits in it; strides are odd, so that a warp's reads fall into different banks.

namespace actors::cuda {

constexpr int tileRows = attentionTile, chunkColumns = 32, side = 16, attentionThreads = side * side;
constexpr int chunkStride = chunkColumns + 1, scoreStride = tileRows + 1;
constexpr int chunkFloats = tileRows * chunkStride, scoreFloats = tileRows * scoreStride;
constexpr int perThread = tileRows / side, columnsPerThread = chunkColumns / side;

/// Up to tileRows rows of one head.
struct HeadRows {
  const float* first;
  Index stride;
  int count;
};

__device__ inline int threadX() { return static_cast<int>(threadIdx.x) % side; }
__device__ inline int threadY() { return static_cast<int>(threadIdx.x) / side; }

/// Columns [from, from + chunkColumns) of the rows, zeros where there are none.
__device__ inline void loadChunk(const HeadRows& rows, int from, int headDim, float* chunk) {
  for (int i = static_cast<int>(threadIdx.x); i < tileRows * chunkColumns; i += attentionThreads) {
    const int row = i / chunkColumns, column = i % chunkColumns;
    chunk[row * chunkStride + column] =
        row < rows.count && from + column < headDim ? rows.first[row * rows.stride + from + column] : 0.0f;
  }
}

/// products = a . b^T over whole heads.
__device__ inline void multiplyHeads(const HeadRows& a, const HeadRows& b, int headDim, float* aChunk, float* bChunk,
                                     float (&products)[perThread][perThread]) {
  for (int i = 0; i < perThread; i++)
    for (int j = 0; j < perThread; j++) products[i][j] = 0.0f;
  for (int from = 0; from < headDim; from += chunkColumns) {
    __syncthreads();  // readers of the last chunks have to be done
    loadChunk(a, from, headDim, aChunk);
    loadChunk(b, from, headDim, bChunk);
    __syncthreads();
    for (int k = 0; k < chunkColumns; k++) {
      float left[perThread], right[perThread];
      for (int i = 0; i < perThread; i++) left[i] = aChunk[(threadY() * perThread + i) * chunkStride + k];
      for (int j = 0; j < perThread; j++) right[j] = bChunk[(threadX() + side * j) * chunkStride + k];
      for (int i = 0; i < perThread; i++)
        for (int j = 0; j < perThread; j++) products[i][j] += left[i] * right[j];
    }
  }
}

/// sums += scores . rows, or scores^T . rows: thread (y, x) owns rows 4y to 4y + 3 of the result and columns x and
/// x + 16 of each chunk. Scores may have been written just before.
template <bool transposed, int chunks>
__device__ inline void addWeighted(const float* scores, const HeadRows& rows, int headDim, float* chunk,
                                   float (&sums)[chunks][perThread][columnsPerThread]) {
#pragma unroll
  for (int c = 0; c < chunks; c++) {
    if (c * chunkColumns >= headDim) break;
    __syncthreads();  // readers of the last chunk have to be done
    loadChunk(rows, c * chunkColumns, headDim, chunk);
    __syncthreads();
    for (int k = 0; k < tileRows; k++) {
      float weights[perThread], values[columnsPerThread];
      for (int i = 0; i < perThread; i++) {
        const int mine = threadY() * perThread + i;
        weights[i] = scores[transposed ? k * scoreStride + mine : mine * scoreStride + k];
      }
      for (int j = 0; j < columnsPerThread; j++) values[j] = chunk[k * chunkStride + threadX() + side * j];
      for (int i = 0; i < perThread; i++)
        for (int j = 0; j < columnsPerThread; j++) sums[c][i][j] += weights[i] * values[j];
    }
  }
}

/// Writes what addWeighted gathered, row i times factors[i].
template <int chunks>
__device__ inline void storeWeighted(const float (&sums)[chunks][perThread][columnsPerThread],
                                     const float (&factors)[perThread], int rows, int headDim, float* first,
                                     Index stride) {
#pragma unroll
  for (int c = 0; c < chunks; c++) {
    for (int i = 0; i < perThread; i++) {
      for (int j = 0; j < columnsPerThread; j++) {
        const int row = threadY() * perThread + i, column = c * chunkColumns + threadX() + side * j;
        if (row < rows && column < headDim) first[row * stride + column] = sums[c][i][j] * factors[i];
      }
    }
  }
}

/// Where one head of a row lies, and how many rows a tile of a sequence has.
struct HeadView {
  const float* qkv;
  Heads h;
  AttentionPiece piece;

  __device__ int rowsOf(int tile) const {
    const int left = piece.length - tile * tileRows;
    return left < tileRows ? left : tileRows;
  }
  __device__ Index rowOf(int tile) const { return static_cast<Index>(piece.first) + Index{tile} * tileRows; }
  __device__ HeadRows part(int tile, Index column) const {
    return {qkv + rowOf(tile) * h.rowDim() + column, h.rowDim(), rowsOf(tile)};
  }
  __device__ HeadRows query(int tile, int head) const { return part(tile, Index{head} * h.headDim); }
  __device__ HeadRows key(int tile, int kvHead) const { return part(tile, keyColumn(kvHead)); }
  __device__ HeadRows value(int tile, int kvHead) const { return part(tile, keyColumn(kvHead) + h.kvDim()); }
  __device__ Index keyColumn(int kvHead) const { return h.queryDim() + Index{kvHead} * h.headDim; }
  /// Rows of a matrix [tokens, heads, headDim].
  __device__ HeadRows output(const float* matrix, int tile, int head) const {
    return {matrix + rowOf(tile) * h.queryDim() + Index{head} * h.headDim, h.queryDim(), rowsOf(tile)};
  }
};

/// The number of chunks that registers hold sums of, as a template argument: body.template operator()<chunks>().
template <class Body>
inline void withChunks(int headDim, Body body) {
  if (headDim <= chunkColumns) body.template operator()<1>();
  else if (headDim <= 2 * chunkColumns) body.template operator()<2>();
  else if (headDim <= 4 * chunkColumns) body.template operator()<4>();
  else body.template operator()<8>();
}

}  // namespace actors::cuda
