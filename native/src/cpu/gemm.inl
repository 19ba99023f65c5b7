// Matrix multiplication for one instruction set. See kernels.inl for the rule on headers.
// Reference for the blocking: Goto & van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.

#include "vector.inl"

namespace {

constexpr int tileRows = ACTORS_TILE_ROWS;  ///< rows of the register tile; its width is two vectors
constexpr Index tileWidth = 2 * W;
constexpr Index depthBlock = 384, rowBlock = 128, columnBlock = 512;  ///< a panel block in L1, the A block in L2

/// Depth is cut evenly into blocks of at most depthBlock: a short last one would pass over C for little work.
inline Index evenBlock(Index depth) {
  const Index blocks = (depth + depthBlock - 1) / depthBlock;
  return blocks < 2 ? depth : (depth + blocks - 1) / blocks;
}

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

/// C [Rows, 2W] (+)= A [Rows, depth] . panel, A(i, k) = a[i * ld + k], or when it is packed a[k * tileRows + i].
template <int Rows, bool Packed>
inline void tile(Index depth, const float* a, Index ld, const float* b, float* c, Index ldc, bool accumulate,
                 Index width) {
  vf sums[Rows][2] = {};
  for (Index k = 0; k < depth; k++) {
    const vf b0 = load(b + k * panelWidth), b1 = load(b + k * panelWidth + W);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; i++) {
      const float x = Packed ? a[k * tileRows + i] : a[i * ld + k];
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
template <int Rows, bool Packed>
inline void tail(Index rows, Index depth, const float* a, Index ld, const float* b, float* c, Index ldc,
                 bool accumulate, Index width) {
  if constexpr (Rows > 0) {
    if (rows == Rows) tile<Rows, Packed>(depth, a, ld, b, c, ldc, accumulate, width);
    else tail<Rows - 1, Packed>(rows, depth, a, ld, b, c, ldc, accumulate, width);
  }
}

/// C [Rows, Tiles * 2W] (+)= A [Rows, depth] . columns from j on, all of them there. With few rows one tile has too few
/// sums in flight to hide an addition's latency; several have enough. The same sums in the same order as tile().
template <int Rows, int Tiles>
inline void wideTile(Index depth, const float* a, Index ld, const float* packed, Index panelStride, Index j, float* c,
                     Index ldc, bool accumulate) {
  const float* b[Tiles];
  for (Index t = 0; t < Tiles; t++) {
    const Index column = j + t * tileWidth;
    b[t] = packed + column / panelWidth * panelStride + column % panelWidth;
  }
  vf sums[Rows][2 * Tiles] = {};
  for (Index k = 0; k < depth; k++) {
#pragma GCC unroll 8
    for (int t = 0; t < 2 * Tiles; t++) {
      const vf column = load(b[t / 2] + k * panelWidth + t % 2 * W);
#pragma GCC unroll 4
      for (int i = 0; i < Rows; i++) sums[i][t] += a[i * ld + k] * column;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < Rows; i++) {
#pragma GCC unroll 8
    for (int t = 0; t < 2 * Tiles; t++) {
      float* out = c + i * ldc + j + t * W;
      store(out, accumulate ? load(out) + sums[i][t] : sums[i][t]);
    }
  }
}

constexpr Index groupWidth = 4 * tileWidth;

/// Up to three rows against one group of column tiles; false when there are more.
inline bool fewRows(Index rows, Index depth, const float* a, Index ld, const float* packed, Index panelStride, Index j,
                    float* c, Index ldc, bool accumulate) {
  if (rows > 3) return false;
  if (rows == 1) {
    wideTile<1, 4>(depth, a, ld, packed, panelStride, j, c, ldc, accumulate);
    return true;
  }
  for (Index half = j; half < j + groupWidth; half += groupWidth / 2) {
    if (rows == 2) wideTile<2, 2>(depth, a, ld, packed, panelStride, half, c, ldc, accumulate);
    else wideTile<3, 2>(depth, a, ld, packed, panelStride, half, c, ldc, accumulate);
  }
  return true;
}

/// One block of A against columns [j0, j1): `a` is its first row, or its first packed tile.
template <bool Packed>
inline void multiplyBlock(Index rows, Index n, Index j0, Index j1, Index depth, const float* a, Index ld,
                          const float* packed, Index panelStride, float* c, Index ldc, bool accumulate) {
  const Index whole = rows / tileRows * tileRows, rest = rows - whole;
  const float* last = Packed ? a + whole * depth : a + whole * ld;
  for (Index group = j0; group < j1; group += groupWidth) {
    const Index end = smaller(group + groupWidth, j1);
    for (Index j = group; j < end && whole > 0; j += tileWidth) {
      const float* b = packed + j / panelWidth * panelStride + j % panelWidth;
      for (Index i = 0; i < whole; i += tileRows) {
        const float* block = Packed ? a + i * depth : a + i * ld;
        tile<tileRows, Packed>(depth, block, ld, b, c + i * ldc + j, ldc, accumulate, n - j);
      }
    }
    if (rest == 0) continue;
    if (!Packed && group + groupWidth <= j1 &&
        fewRows(rest, depth, last, ld, packed, panelStride, group, c + whole * ldc, ldc, accumulate))
      continue;
    for (Index j = group; j < end; j += tileWidth) {
      const float* b = packed + j / panelWidth * panelStride + j % panelWidth;
      tail<tileRows - 1, Packed>(rest, depth, last, ld, b, c + whole * ldc + j, ldc, accumulate, n - j);
    }
  }
}

/// A(i, k) = a[k * ld + i] into tiles [depth][tileRows]; what lies beyond the last row is left alone, and not read.
inline void packTiles(Index rows, Index depth, const float* a, Index ld, float* tiles) {
  for (Index i = 0; i < rows; i += tileRows, tiles += depth * tileRows) {
    const Index width = smaller(tileRows, rows - i);
    for (Index k = 0; k < depth; k++) {
      const float* source = a + k * ld + i;
      if (width == tileRows) __builtin_memcpy(tiles + k * tileRows, source, tileRows * sizeof(float));
      else for (Index r = 0; r < width; r++) tiles[k * tileRows + r] = source[r];
    }
  }
}

void gemm(Index m, Index n, Index depth, const float* a, Index rowStride, Index depthStride, const float* packed,
          Index panelStride, float* c, Index ldc, bool accumulate) {
  if (depth == 0 && !accumulate) {
    for (Index i = 0; i < m; i++) {
      for (Index j = 0; j < n; j++) c[i * ldc + j] = 0.0f;
    }
  }
  alignas(64) float tiles[(rowBlock + tileRows) * depthBlock];
  const Index step = evenBlock(depth);
  for (Index k0 = 0; k0 < depth; k0 += step, accumulate = true) {
    const Index kc = smaller(step, depth - k0);
    const float* b = packed + k0 * panelWidth;
    if (depthStride == 1) {
      for (Index j0 = 0; j0 < n; j0 += columnBlock) {
        for (Index i0 = 0; i0 < m; i0 += rowBlock) {
          multiplyBlock<false>(smaller(rowBlock, m - i0), n, j0, smaller(j0 + columnBlock, n), kc,
                               a + i0 * rowStride + k0, rowStride, b, panelStride, c + i0 * ldc, ldc, accumulate);
        }
      }
      continue;
    }
    for (Index i0 = 0; i0 < m; i0 += rowBlock) {
      const Index rows = smaller(rowBlock, m - i0);
      packTiles(rows, kc, a + k0 * depthStride + i0 * rowStride, depthStride, tiles);
      multiplyBlock<true>(rows, n, 0, n, kc, tiles, 0, b, panelStride, c + i0 * ldc, ldc, accumulate);
    }
  }
}

}  // namespace
