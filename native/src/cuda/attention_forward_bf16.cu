// Causal attention on tensor cores, as attention_forward.cu does it on others: operands in bf16, sums and the running
// softmax in fp32. Probabilities stay in registers between the two products (Dao 2023, "FlashAttention-2").

#include "attention_bf16.h"

namespace actors::cuda {

namespace {

template <int width>
__global__ void __launch_bounds__(tensorThreads)
    attentionTensor(const float* qkv, const AttentionPiece* pieces, Heads h, float scale, float* out, float* lse) {
  SHARED(std::uint32_t, keys, pairFloats(tileRows, width));
  SHARED(std::uint32_t, values, pairFloats(width, tileRows));
  const HeadView view{qkv, h, pieces[blockIdx.x]};
  const int head = static_cast<int>(blockIdx.y), kvHead = head / (h.heads / h.kvHeads), tile = view.piece.tile;
  Fragments<width> queries;
  loadFragments<width>(view.query(tile, head), h.headDim, queries);
  Products<width> sums;
  clear<width>(sums);
  float top[2] = {-INFINITY, -INFINITY}, mass[2] = {};
  for (int keyTile = 0; keyTile <= tile; keyTile++) {
    __syncthreads();  // readers of the last tile have to be done
    loadPairs<tileRows, width>(view.key(keyTile, kvHead), h.headDim, keys);
    loadTransposed<tileRows, width>(view.value(keyTile, kvHead), h.headDim, values);
    __syncthreads();
    Products<tileRows> scores;
    clear<tileRows>(scores);
    multiplyPairs<width, tileRows>(queries, keys, scores);
    float best[2] = {top[0], top[1]}, added[2] = {};
#pragma unroll
    for (int n = 0; n < tileRows / 8; n++) {
      for (int i = 0; i < 4; i++) {
        const int key = keyTile * tileRows + productColumn(n, i);
        const bool visible = key <= tile * tileRows + productRow(i) && key < view.piece.length;
        scores[n][i] = visible ? scores[n][i] * scale : -INFINITY;
        best[i / 2] = fmaxf(best[i / 2], scores[n][i]);
      }
    }
    // Four lanes share a row.
    for (int r = 0; r < 2; r++)
      for (int distance = 2; distance > 0; distance /= 2)
        best[r] = fmaxf(best[r], __shfl_xor_sync(wholeWarp, best[r], distance));
#pragma unroll
    for (int n = 0; n < tileRows / 8; n++) {
      for (int i = 0; i < 4; i++) {
        scores[n][i] = expf(scores[n][i] - best[i / 2]);
        added[i / 2] += scores[n][i];
      }
    }
    for (int r = 0; r < 2; r++) {
      for (int distance = 2; distance > 0; distance /= 2) added[r] += __shfl_xor_sync(wholeWarp, added[r], distance);
      const float kept = expf(top[r] - best[r]);
      mass[r] = mass[r] * kept + added[r];
      top[r] = best[r];
#pragma unroll
      for (int n = 0; n < width / 8; n++) {
        sums[n][2 * r] *= kept;
        sums[n][2 * r + 1] *= kept;
      }
    }
    Fragments<tileRows> weights;
    toFragments<tileRows>(scores, weights);
    multiplyPairs<tileRows, width>(weights, values, sums);
  }
  const Index first = view.rowOf(tile);
  const float shares[2] = {1.0f / mass[0], 1.0f / mass[1]};
  for (int r = 0; r < 2; r++) {
    const int row = productRow(2 * r);
    if (lanePair() == 0 && row < view.rowsOf(tile)) lse[(first + row) * h.heads + head] = top[r] + logf(mass[r]);
  }
  storeProducts<width>(sums, shares, view.rowsOf(tile), h.headDim, out + first * h.queryDim() + head * h.headDim,
                       h.queryDim());
}

}  // namespace

void launch::attentionBf16(Stream stream, const float* qkv, const AttentionPiece* pieces, Index count, Heads h,
                           float* out, float* lse) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(h.headDim));
  const dim3 grid(static_cast<unsigned>(count), static_cast<unsigned>(h.heads));
  withWidth(h.headDim, [&]<int width>() {
    LAUNCH(attentionTensor<width>, grid, dim3(tensorThreads), stream, qkv, pieces, h, scale, out, lse);
  });
}

}  // namespace actors::cuda
