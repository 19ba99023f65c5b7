// The gradient of attention: probabilities are made again from their normaliser. One kernel goes over keys for each
// tile of queries, one over queries for each tile of keys, so that no two blocks add to the same place.

#include "attention_tiles.h"

namespace actors::cuda {

namespace {

/// What both kernels know of one query head.
struct Replay {
  HeadView view;
  const float *lse, *dOut, *delta;
  float scale;

  /// This thread's probabilities, and the gradients of its scores, of a tile of queries against a tile of keys.
  __device__ void scores(int head, int queryTile, int keyTile, float* left, float* right,
                         float (&p)[perThread][perThread], float (&dScores)[perThread][perThread]) const {
    const Heads& h = view.h;
    const int kvHead = head / (h.heads / h.kvHeads);
    multiplyHeads(view.query(queryTile, head), view.key(keyTile, kvHead), h.headDim, left, right, p);
    multiplyHeads(view.output(dOut, queryTile, head), view.value(keyTile, kvHead), h.headDim, left, right, dScores);
    for (int i = 0; i < perThread; i++) {
      const int row = threadY() * perThread + i, query = queryTile * tileRows + row;
      const bool exists = row < view.rowsOf(queryTile);
      const Index at = (view.rowOf(queryTile) + row) * h.heads + head;
      const float norm = exists ? lse[at] : 0.0f, mean = exists ? delta[at] : 0.0f;
      for (int j = 0; j < perThread; j++) {
        const int key = keyTile * tileRows + threadX() + side * j;
        const bool visible = exists && key <= query;
        p[i][j] = visible ? expf(p[i][j] * scale - norm) : 0.0f;
        dScores[i][j] = p[i][j] * (dScores[i][j] - mean) * scale;
      }
    }
  }
};

__device__ inline void storeScores(const float (&values)[perThread][perThread], float* scores) {
  for (int i = 0; i < perThread; i++)
    for (int j = 0; j < perThread; j++)
      scores[(threadY() * perThread + i) * scoreStride + threadX() + side * j] = values[i][j];
}

template <int chunks>
__global__ void __launch_bounds__(attentionThreads)
    attentionQueries(const float* qkv, const float* lse, const float* dOut, const float* delta,
                     const AttentionPiece* pieces, Heads h, float scale, float* dQkv) {
  SHARED(float, left, chunkFloats);
  SHARED(float, right, chunkFloats);
  SHARED(float, scores, scoreFloats);
  const Replay replay{{qkv, h, pieces[blockIdx.x]}, lse, dOut, delta, scale};
  const HeadView& view = replay.view;
  const int head = static_cast<int>(blockIdx.y), kvHead = head / (h.heads / h.kvHeads), tile = view.piece.tile;
  float sums[chunks][perThread][columnsPerThread] = {};
  for (int keyTile = 0; keyTile <= tile; keyTile++) {
    float p[perThread][perThread], dScores[perThread][perThread];
    replay.scores(head, tile, keyTile, left, right, p, dScores);
    storeScores(dScores, scores);
    addWeighted<false>(scores, view.key(keyTile, kvHead), h.headDim, right, sums);
  }
  const float ones[perThread] = {1.0f, 1.0f, 1.0f, 1.0f};
  storeWeighted(sums, ones, view.rowsOf(tile), h.headDim, dQkv + view.rowOf(tile) * h.rowDim() + head * h.headDim,
                h.rowDim());
}

/// The query heads that share a key-value head add to its gradient in order.
template <int chunks>
__global__ void __launch_bounds__(attentionThreads)
    attentionKeys(const float* qkv, const float* lse, const float* dOut, const float* delta,
                  const AttentionPiece* pieces, Heads h, float scale, float* dQkv) {
  SHARED(float, left, chunkFloats);
  SHARED(float, right, chunkFloats);
  SHARED(float, scores, scoreFloats);
  const Replay replay{{qkv, h, pieces[blockIdx.x]}, lse, dOut, delta, scale};
  const HeadView& view = replay.view;
  const int kvHead = static_cast<int>(blockIdx.y), group = h.heads / h.kvHeads, tile = view.piece.tile;
  const int tiles = (view.piece.length + tileRows - 1) / tileRows;
  float dKey[chunks][perThread][columnsPerThread] = {}, dValue[chunks][perThread][columnsPerThread] = {};
  for (int head = kvHead * group; head < (kvHead + 1) * group; head++) {
    for (int queryTile = tile; queryTile < tiles; queryTile++) {
      float p[perThread][perThread], dScores[perThread][perThread];
      replay.scores(head, queryTile, tile, left, right, p, dScores);
      storeScores(p, scores);
      addWeighted<true>(scores, view.output(dOut, queryTile, head), h.headDim, right, dValue);
      __syncthreads();  // the probabilities have been read
      storeScores(dScores, scores);
      addWeighted<true>(scores, view.query(queryTile, head), h.headDim, right, dKey);
    }
  }
  const float ones[perThread] = {1.0f, 1.0f, 1.0f, 1.0f};
  float* to = dQkv + view.rowOf(tile) * h.rowDim() + view.keyColumn(kvHead);
  storeWeighted(dKey, ones, view.rowsOf(tile), h.headDim, to, h.rowDim());
  storeWeighted(dValue, ones, view.rowsOf(tile), h.headDim, to + h.kvDim(), h.rowDim());
}

}  // namespace

void launch::attentionBackward(Stream stream, const float* qkv, const float* out, const float* lse, const float* dOut,
                               const AttentionPiece* pieces, Index count, Index rows, Heads h, float* dQkv,
                               float* delta) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(h.headDim));
  const dim3 block(attentionThreads);
  const auto tiles = static_cast<unsigned>(count);
  attentionDeltas(stream, out, dOut, rows, h, delta);
  withChunks(h.headDim, [&]<int chunks>() {
    LAUNCH(attentionQueries<chunks>, dim3(tiles, static_cast<unsigned>(h.heads)), block, stream, qkv, lse, dOut, delta,
           pieces, h, scale, dQkv);
    LAUNCH(attentionKeys<chunks>, dim3(tiles, static_cast<unsigned>(h.kvHeads)), block, stream, qkv, lse, dOut, delta,
           pieces, h, scale, dQkv);
  });
}

}  // namespace actors::cuda
