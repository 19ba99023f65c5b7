// Matrix multiplication for one instruction set. See kernels.inl for the rule on headers.
// Reference for the blocking: Goto & van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.

#include "vector.inl"

namespace {

constexpr int tileRows = ACTORS_TILE_ROWS;  ///< rows of the register tile; its width is two vectors
constexpr Index tileWidth = 2 * W;
constexpr Index depthBlock = 256, rowBlock = 128, columnBlock = 512;  ///< a panel block in L1, the A block in L2

void pack(const float* b, Index depth, Index n, Index ld, float* packed) {
  for (Index j = 0; j < n; j += panelWidth, packed += depth * panelWidth) {
    const Index width = smaller(panelWidth, n - j);
    for (Index k = 0; k < depth; k++) {
      float* row = packed + k * panelWidth;
      const float* source = b + k * ld + j;
      if (width == panelWidth) {
        for (Index i = 0; i < panelWidth; i += W) store(row + i, load(source + i));
      } else {
        for (Index i = 0; i < panelWidth; i++) row[i] = i < width ? source[i] : 0.0f;
      }
    }
  }
}

void packTransposed(const float* b, Index depth, Index n, Index ld, float* packed) {
  constexpr Index step = 8;  // writes stay within a few cache lines while eight columns are read
  for (Index j = 0; j < n; j += panelWidth, packed += depth * panelWidth) {
    const Index width = smaller(panelWidth, n - j);
    for (Index k0 = 0; k0 < depth; k0 += step) {
      const Index k1 = smaller(k0 + step, depth);
      for (Index i = 0; i < width; i++) {
        const float* source = b + (j + i) * ld;
        for (Index k = k0; k < k1; k++) packed[k * panelWidth + i] = source[k];
      }
      for (Index k = k0; k < k1; k++) {
        for (Index i = width; i < panelWidth; i++) packed[k * panelWidth + i] = 0.0f;
      }
    }
  }
}

/// C [Rows, 2W] (+)= A [Rows, depth] . panel. DepthContiguous: A(i, k) = a[i * ld + k], else a[k * ld + i].
template <int Rows, bool DepthContiguous>
inline void tile(Index depth, const float* a, Index ld, const float* b, float* c, Index ldc, bool accumulate,
                 Index width) {
  vf sums[Rows][2] = {};
  for (Index k = 0; k < depth; k++) {
    const vf b0 = load(b + k * panelWidth), b1 = load(b + k * panelWidth + W);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; i++) {
      const float x = DepthContiguous ? a[i * ld + k] : a[k * ld + i];
      sums[i][0] += x * b0;
      sums[i][1] += x * b1;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; i++) {
    float* row = c + i * ldc;
    if (width >= tileWidth) {
      store(row, accumulate ? load(row) + sums[i][0] : sums[i][0]);
      store(row + W, accumulate ? load(row + W) + sums[i][1] : sums[i][1]);
    } else {
      float lanes[tileWidth];
      store(lanes, sums[i][0]);
      store(lanes + W, sums[i][1]);
      for (Index j = 0; j < width; j++) row[j] = accumulate ? row[j] + lanes[j] : lanes[j];
    }
  }
}

/// The last rows of a block, fewer than tileRows: the same sums in the same order, so a row's result is the same.
template <int Rows, bool DepthContiguous>
inline void tail(Index rows, Index depth, const float* a, Index ld, const float* b, float* c, Index ldc,
                 bool accumulate, Index width) {
  if constexpr (Rows > 0) {
    if (rows == Rows) tile<Rows, DepthContiguous>(depth, a, ld, b, c, ldc, accumulate, width);
    else tail<Rows - 1, DepthContiguous>(rows, depth, a, ld, b, c, ldc, accumulate, width);
  }
}

template <bool DepthContiguous>
void multiply(Index m, Index n, Index depth, const float* a, Index ld, const float* packed, Index panelStride, float* c,
              Index ldc, bool accumulate) {
  for (Index k0 = 0; k0 < depth; k0 += depthBlock, accumulate = true) {
    const Index kc = smaller(depthBlock, depth - k0);
    for (Index j0 = 0; j0 < n; j0 += columnBlock) {
      const Index j1 = smaller(j0 + columnBlock, n);
      for (Index i0 = 0; i0 < m; i0 += rowBlock) {
        const Index i1 = smaller(i0 + rowBlock, m);
        for (Index j = j0; j < j1; j += tileWidth) {
          const float* b = packed + j / panelWidth * panelStride + k0 * panelWidth + j % panelWidth;
          const Index width = n - j;
          Index i = i0;
          for (; i + tileRows <= i1; i += tileRows) {
            const float* block = DepthContiguous ? a + i * ld + k0 : a + k0 * ld + i;
            tile<tileRows, DepthContiguous>(kc, block, ld, b, c + i * ldc + j, ldc, accumulate, width);
          }
          const float* block = DepthContiguous ? a + i * ld + k0 : a + k0 * ld + i;
          tail<tileRows - 1, DepthContiguous>(i1 - i, kc, block, ld, b, c + i * ldc + j, ldc, accumulate, width);
        }
      }
    }
  }
}

void gemm(Index m, Index n, Index depth, const float* a, Index rowStride, Index depthStride, const float* packed,
          Index panelStride, float* c, Index ldc, bool accumulate) {
  if (depth == 0 && !accumulate) {
    for (Index i = 0; i < m; i++) {
      for (Index j = 0; j < n; j++) c[i * ldc + j] = 0.0f;
    }
  } else if (depthStride == 1) {
    multiply<true>(m, n, depth, a, rowStride, packed, panelStride, c, ldc, accumulate);
  } else {
    multiply<false>(m, n, depth, a, depthStride, packed, panelStride, c, ldc, accumulate);
  }
}

}  // namespace
