// Causal attention over packed sequences (Dao et al. 2022, "FlashAttention"; Milakov & Gimelshein 2018 for the running
// softmax): a block for each tile of 64 queries of a head goes over the tiles of keys it may see, so that memory does
// not grow with length squared.

#include "attention_tiles.h"

namespace actors::cuda {

namespace {

template <int chunks>
__global__ void __launch_bounds__(attentionThreads)
    attentionTiles(const float* qkv, const AttentionPiece* pieces, Heads h, float scale, float* out, float* lse) {
  SHARED(float, queries, chunkFloats);
  SHARED(float, keys, chunkFloats);
  SHARED(float, scores, scoreFloats);
  const HeadView view{qkv, h, pieces[blockIdx.x]};
  const int head = static_cast<int>(blockIdx.y), kvHead = head / (h.heads / h.kvHeads), tile = view.piece.tile;
  float sums[chunks][perThread][columnsPerThread] = {}, top[perThread], mass[perThread];
  for (int i = 0; i < perThread; i++) {
    top[i] = -INFINITY;
    mass[i] = 0.0f;
  }
  for (int keyTile = 0; keyTile <= tile; keyTile++) {
    float products[perThread][perThread];
    multiplyHeads(view.query(tile, head), view.key(keyTile, kvHead), h.headDim, queries, keys, products);
    for (int i = 0; i < perThread; i++) {
      const int row = threadY() * perThread + i, query = tile * tileRows + row;
      float best = top[i];
      for (int j = 0; j < perThread; j++) {
        const int key = keyTile * tileRows + threadX() + side * j;
        products[i][j] = key <= query && key < view.piece.length ? products[i][j] * scale : -INFINITY;
        best = fmaxf(best, products[i][j]);
      }
      // The sixteen threads that share a row are one half of a warp.
      for (int distance = side / 2; distance > 0; distance /= 2)
        best = fmaxf(best, __shfl_xor_sync(wholeWarp, best, distance));
      const float kept = expf(top[i] - best);
      float added = 0.0f;
      for (int j = 0; j < perThread; j++) {
        const float p = expf(products[i][j] - best);
        added += p;
        scores[row * scoreStride + threadX() + side * j] = p;
      }
      for (int distance = side / 2; distance > 0; distance /= 2) added += __shfl_xor_sync(wholeWarp, added, distance);
      mass[i] = mass[i] * kept + added;
      top[i] = best;
#pragma unroll
      for (int c = 0; c < chunks; c++)
        for (int j = 0; j < columnsPerThread; j++) sums[c][i][j] *= kept;
    }
    addWeighted<false>(scores, view.value(keyTile, kvHead), h.headDim, keys, sums);
  }
  const Index first = view.rowOf(tile);
  float shares[perThread];
  for (int i = 0; i < perThread; i++) {
    const int row = threadY() * perThread + i;
    shares[i] = 1.0f / mass[i];
    if (threadX() == 0 && row < view.rowsOf(tile)) lse[(first + row) * h.heads + head] = top[i] + logf(mass[i]);
  }
  storeWeighted(sums, shares, view.rowsOf(tile), h.headDim, out + first * h.queryDim() + head * h.headDim,
                h.queryDim());
}

}  // namespace

void launch::attention(Stream stream, const float* qkv, const AttentionPiece* pieces, Index count, Heads h, float* out,
                       float* lse) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(h.headDim));
  const dim3 grid(static_cast<unsigned>(count), static_cast<unsigned>(h.heads));
  withChunks(h.headDim, [&]<int chunks>() {
    LAUNCH(attentionTiles<chunks>, grid, dim3(attentionThreads), stream, qkv, pieces, h, scale, out, lse);
  });
}

}  // namespace actors::cuda
