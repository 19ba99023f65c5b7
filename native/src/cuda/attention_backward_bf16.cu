// The gradient of attention on tensor cores; see attention_backward.cu for what the two kernels do.

#include "attention_bf16.h"

namespace actors::cuda {

namespace {

constexpr int streamed = 32;  ///< queries that pass a tile of keys at once
constexpr int larger(int a, int b) { return a > b ? a : b; }

template <int width>
__global__ void __launch_bounds__(tensorThreads)
    attentionQueriesTensor(const float* qkv, const float* lse, const float* dOut, const float* delta,
                           const AttentionPiece* pieces, Heads h, float scale, float* dQkv) {
  SHARED(std::uint32_t, pairs, larger(pairFloats(tileRows, width), pairFloats(width, tileRows)));
  const HeadView view{qkv, h, pieces[blockIdx.x]};
  const int head = static_cast<int>(blockIdx.y), kvHead = head / (h.heads / h.kvHeads), tile = view.piece.tile;
  Fragments<width> queries, dOuts;
  loadFragments<width>(view.query(tile, head), h.headDim, queries);
  loadFragments<width>(view.output(dOut, tile, head), h.headDim, dOuts);
  Products<width> sums;
  clear<width>(sums);
  float norm[2], mean[2];
  for (int r = 0; r < 2; r++) {
    const int row = productRow(2 * r);
    const Index at = (view.rowOf(tile) + row) * h.heads + head;
    norm[r] = row < view.rowsOf(tile) ? lse[at] : 0.0f;
    mean[r] = row < view.rowsOf(tile) ? delta[at] : 0.0f;
  }
  for (int keyTile = 0; keyTile <= tile; keyTile++) {
    Products<tileRows> scores, dScores;
    clear<tileRows>(scores);
    clear<tileRows>(dScores);
    __syncthreads();  // readers of the last tile have to be done
    loadPairs<tileRows, width>(view.key(keyTile, kvHead), h.headDim, pairs);
    __syncthreads();
    multiplyPairs<width, tileRows>(queries, pairs, scores);
    __syncthreads();
    loadPairs<tileRows, width>(view.value(keyTile, kvHead), h.headDim, pairs);
    __syncthreads();
    multiplyPairs<width, tileRows>(dOuts, pairs, dScores);
#pragma unroll
    for (int n = 0; n < tileRows / 8; n++) {
      for (int i = 0; i < 4; i++) {
        const int row = productRow(i), key = keyTile * tileRows + productColumn(n, i);
        const bool visible = row < view.rowsOf(tile) && key <= tile * tileRows + row;
        const float p = visible ? expf(scores[n][i] * scale - norm[i / 2]) : 0.0f;
        scores[n][i] = p * (dScores[n][i] - mean[i / 2]) * scale;
      }
    }
    Fragments<tileRows> weights;
    toFragments<tileRows>(scores, weights);
    __syncthreads();
    loadTransposed<tileRows, width>(view.key(keyTile, kvHead), h.headDim, pairs);
    __syncthreads();
    multiplyPairs<tileRows, width>(weights, pairs, sums);
  }
  const float ones[2] = {1.0f, 1.0f};
  storeProducts<width>(sums, ones, view.rowsOf(tile), h.headDim,
                       dQkv + view.rowOf(tile) * h.rowDim() + head * h.headDim, h.rowDim());
}

/// Scores are the transposes here: rows are keys, columns queries.
template <int width>
__global__ void __launch_bounds__(tensorThreads)
    attentionKeysTensor(const float* qkv, const float* lse, const float* dOut, const float* delta,
                        const AttentionPiece* pieces, Heads h, float scale, float* dQkv) {
  SHARED(std::uint32_t, keys, pairFloats(tileRows, width));
  SHARED(std::uint32_t, values, pairFloats(tileRows, width));
  SHARED(std::uint32_t, pairs, larger(pairFloats(streamed, width), pairFloats(width, streamed)));
  const HeadView view{qkv, h, pieces[blockIdx.x]};
  const int kvHead = static_cast<int>(blockIdx.y), group = h.heads / h.kvHeads, tile = view.piece.tile;
  loadPairs<tileRows, width>(view.key(tile, kvHead), h.headDim, keys);
  loadPairs<tileRows, width>(view.value(tile, kvHead), h.headDim, values);
  Products<width> dKey, dValue;
  clear<width>(dKey);
  clear<width>(dValue);
  for (int head = kvHead * group; head < (kvHead + 1) * group; head++) {
    for (int from = tile * tileRows; from < view.piece.length; from += streamed) {
      const int left = view.piece.length - from, count = left < streamed ? left : streamed;
      const Index first = static_cast<Index>(view.piece.first) + from;
      const HeadRows queries{qkv + first * h.rowDim() + Index{head} * h.headDim, h.rowDim(), count};
      const HeadRows dOuts{dOut + first * h.queryDim() + Index{head} * h.headDim, h.queryDim(), count};
      Products<streamed> p, dScores;
      clear<streamed>(p);
      clear<streamed>(dScores);
      Fragments<width> own;
      __syncthreads();  // readers of the last pairs have to be done, keys and values in place
      loadPairs<streamed, width>(queries, h.headDim, pairs);
      __syncthreads();
      takeFragments<width>(keys, own);
      multiplyPairs<width, streamed>(own, pairs, p);
      __syncthreads();
      loadPairs<streamed, width>(dOuts, h.headDim, pairs);
      __syncthreads();
      takeFragments<width>(values, own);
      multiplyPairs<width, streamed>(own, pairs, dScores);
#pragma unroll
      for (int n = 0; n < streamed / 8; n++) {
        for (int i = 0; i < 4; i++) {
          const int column = productColumn(n, i), key = tile * tileRows + productRow(i);
          const bool visible = column < count && key <= from + column;
          const Index at = (first + column) * h.heads + head;
          p[n][i] = visible ? expf(p[n][i] * scale - lse[at]) : 0.0f;
          dScores[n][i] = visible ? p[n][i] * (dScores[n][i] - delta[at]) * scale : 0.0f;
        }
      }
      Fragments<streamed> weights;
      toFragments<streamed>(p, weights);
      __syncthreads();
      loadTransposed<streamed, width>(dOuts, h.headDim, pairs);
      __syncthreads();
      multiplyPairs<streamed, width>(weights, pairs, dValue);
      toFragments<streamed>(dScores, weights);
      __syncthreads();
      loadTransposed<streamed, width>(queries, h.headDim, pairs);
      __syncthreads();
      multiplyPairs<streamed, width>(weights, pairs, dKey);
    }
  }
  const float ones[2] = {1.0f, 1.0f};
  float* to = dQkv + view.rowOf(tile) * h.rowDim() + view.keyColumn(kvHead);
  storeProducts<width>(dKey, ones, view.rowsOf(tile), h.headDim, to, h.rowDim());
  storeProducts<width>(dValue, ones, view.rowsOf(tile), h.headDim, to + h.kvDim(), h.rowDim());
}

}  // namespace

void launch::attentionBackwardBf16(Stream stream, const float* qkv, const float* out, const float* lse,
                                   const float* dOut, const AttentionPiece* pieces, Index count, Index rows, Heads h,
                                   float* dQkv, float* delta) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(h.headDim));
  const dim3 block(tensorThreads);
  const auto tiles = static_cast<unsigned>(count);
  attentionDeltas(stream, out, dOut, rows, h, delta);
  withWidth(h.headDim, [&]<int width>() {
    LAUNCH(attentionQueriesTensor<width>, dim3(tiles, static_cast<unsigned>(h.heads)), block, stream, qkv, lse, dOut,
           delta, pieces, h, scale, dQkv);
    LAUNCH(attentionKeysTensor<width>, dim3(tiles, static_cast<unsigned>(h.kvHeads)), block, stream, qkv, lse, dOut,
           delta, pieces, h, scale, dQkv);
  });
}

}  // namespace actors::cuda
