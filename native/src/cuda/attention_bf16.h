#pragma once

#include "attention_tiles.h"
#include "tensor.h"

// What the attention kernels for tensor cores share. A block of four warps owns 64 rows of one head, 16 a warp, as left
// operands; what they are multiplied with streams through shared memory, rounded to bf16. A matrix [n, k] lies there as
// n rows of k / 2 pairs and 4 more, so that a warp's reads fall into different banks.

namespace actors::cuda {

constexpr int tensorWarps = 4, tensorThreads = tensorWarps * warpThreads, warpRows = tileRows / tensorWarps;

constexpr int pairStride(int k) { return k / 2 + 4; }
constexpr int pairFloats(int n, int k) { return n * pairStride(k); }

/// Left operands [16, k] of a warp.
template <int k>
using Fragments = std::uint32_t[k / 16][4];
/// Products [16, n] of a warp: the lane's rows g and g + 8 of each eight columns.
template <int n>
using Products = float[n / 8][4];

__device__ inline int laneGroup() { return laneIndex() / 4; }
__device__ inline int lanePair() { return laneIndex() % 4; }
/// Where product [n][i] of a lane lies: its row in the block's tile, and its column.
__device__ inline int productRow(int i) { return warpIndex() * warpRows + laneGroup() + (i >= 2 ? 8 : 0); }
__device__ inline int productColumn(int n, int i) { return n * 8 + lanePair() * 2 + (i & 1); }

__device__ inline float element(const HeadRows& rows, int row, int column, int headDim) {
  return row < rows.count && column < headDim ? rows.first[row * rows.stride + column] : 0.0f;
}

/// The block's own rows as left operands.
template <int width>
__device__ inline void loadFragments(const HeadRows& rows, int headDim, Fragments<width>& to) {
#pragma unroll
  for (int k = 0; k < width / 16; k++) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int row = warpIndex() * warpRows + laneGroup() + (i & 1) * 8,
                column = k * 16 + lanePair() * 2 + (i / 2) * 8;
      to[k][i] = packBf16(element(rows, row, column, headDim), element(rows, row, column + 1, headDim));
    }
  }
}

/// The same from where loadPairs has put them.
template <int width>
__device__ inline void takeFragments(const std::uint32_t* pairs, Fragments<width>& to) {
#pragma unroll
  for (int k = 0; k < width / 16; k++) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int row = warpIndex() * warpRows + laneGroup() + (i & 1) * 8;
      to[k][i] = pairs[row * pairStride(width) + k * 8 + lanePair() + (i / 2) * 4];
    }
  }
}

/// `count` rows as a matrix [count, width]: what scores are products with.
template <int count, int width>
__device__ inline void loadPairs(const HeadRows& rows, int headDim, std::uint32_t* pairs) {
  for (int i = static_cast<int>(threadIdx.x); i < count * width / 2; i += tensorThreads) {
    const int row = i / (width / 2), pair = i % (width / 2);
    pairs[row * pairStride(width) + pair] =
        packBf16(element(rows, row, 2 * pair, headDim), element(rows, row, 2 * pair + 1, headDim));
  }
}

/// `count` rows as a matrix [width, count]: what scores are multiplied with.
template <int count, int width>
__device__ inline void loadTransposed(const HeadRows& rows, int headDim, std::uint32_t* pairs) {
  for (int i = static_cast<int>(threadIdx.x); i < width * count / 2; i += tensorThreads) {
    const int column = i % width, pair = i / width;
    pairs[column * pairStride(count) + pair] =
        packBf16(element(rows, 2 * pair, column, headDim), element(rows, 2 * pair + 1, column, headDim));
  }
}

/// products [16, n] += left [16, k] . pairs^T
template <int k, int n>
__device__ inline void multiplyPairs(const Fragments<k>& left, const std::uint32_t* pairs, Products<n>& products) {
#pragma unroll
  for (int step = 0; step < k / 16; step++) {
#pragma unroll
    for (int tile = 0; tile < n / 8; tile++) {
      const std::uint32_t* at = pairs + (tile * 8 + laneGroup()) * pairStride(k) + step * 8 + lanePair();
      const std::uint32_t right[2] = {at[0], at[4]};
      multiplyFragments(products[tile], left[step], right);
    }
  }
}

template <int n>
__device__ inline void clear(Products<n>& products) {
  for (int tile = 0; tile < n / 8; tile++)
    for (int i = 0; i < 4; i++) products[tile][i] = 0.0f;
}

/// Products become a left operand: a lane has of both what it needs.
template <int n>
__device__ inline void toFragments(const Products<n>& products, Fragments<n>& to) {
#pragma unroll
  for (int k = 0; k < n / 16; k++) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const float* pair = products[2 * k + i / 2] + (i & 1) * 2;
      to[k][i] = packBf16(pair[0], pair[1]);
    }
  }
}

/// Writes products [64, width] of a block, rows times factors.
template <int width>
__device__ inline void storeProducts(const Products<width>& products, const float (&factors)[2], int rows, int headDim,
                                     float* first, Index stride) {
#pragma unroll
  for (int tile = 0; tile < width / 8; tile++) {
    for (int i = 0; i < 4; i++) {
      const int row = productRow(i), column = productColumn(tile, i);
      if (row < rows && column < headDim) first[row * stride + column] = products[tile][i] * factors[i / 2];
    }
  }
}

/// body.template operator()<width>() with the width that heads are padded to.
template <class Body>
inline void withWidth(int headDim, Body body) {
  if (headDim <= 32) body.template operator()<32>();
  else if (headDim <= 64) body.template operator()<64>();
  else body.template operator()<maxTensorDim>();
}

}  // namespace actors::cuda
