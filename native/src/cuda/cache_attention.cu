// The paged key-value cache (Kwon et al. 2023, "PagedAttention"): writing to it, and attention of one query a row over
// what it holds. A page has, for each key-value head, keys [headDim][16] and values [16][headDim], so that the lanes of
// a warp read neighbouring floats of both.

#include "kernels.h"
#include "reduce.h"

namespace actors::cuda {

namespace {

constexpr int warps = 4, threads = warps * warpThreads, maxColumns = maxHeadDim / warpThreads;

__device__ inline Index headOffset(int kvHead, int headDim) { return Index{kvHead} * 2 * headDim * cachePage; }

/// A block a row.
__global__ void cacheWriteRow(const float* qkv, float* const* pages, const std::int32_t* first,
                              const std::int32_t* visible, Heads h, Index layerOffset) {
  const int position = visible[blockIdx.x] - 1, slot = position % cachePage, d = h.headDim;
  float* page = pages[first[blockIdx.x] + position / cachePage] + layerOffset;
  const float* keys = qkv + static_cast<Index>(blockIdx.x) * h.rowDim() + h.queryDim();
  for (int i = static_cast<int>(threadIdx.x); i < h.kvHeads * d; i += threads) {
    float* head = page + headOffset(i / d, d);
    head[i % d * cachePage + slot] = keys[i];
    head[d * cachePage + slot * d + i % d] = keys[h.kvDim() + i];
  }
}

/// A block for each row and query head; its warps take pages in turn and are merged in order. Half a warp does the even
/// elements of sixteen scores, the other half the odd ones.
__global__ void cacheAttentionHead(const float* qkv, float* const* pages, const std::int32_t* first,
                                   const std::int32_t* visible, Heads h, Index layerOffset, float scale, float* out) {
  SHARED(float, query, maxHeadDim);
  SHARED(float, tops, warps);
  SHARED(float, masses, warps);
  SHARED(float, parts, warps* maxHeadDim);
  const int d = h.headDim, n = visible[blockIdx.x], head = static_cast<int>(blockIdx.y);
  const int slot = laneIndex() % cachePage, parity = laneIndex() / cachePage;
  float* const* mine = pages + first[blockIdx.x];
  const Index offset = layerOffset + headOffset(head / (h.heads / h.kvHeads), d);
  for (int i = static_cast<int>(threadIdx.x); i < d; i += threads)
    query[i] = qkv[static_cast<Index>(blockIdx.x) * h.rowDim() + head * d + i];
  __syncthreads();

  float sums[maxColumns] = {}, top = -INFINITY, mass = 0.0f;
  for (int page = warpIndex(); page * cachePage < n; page += warps) {
    const float *keys = mine[page] + offset, *values = keys + d * cachePage;
    const int count = n - page * cachePage < cachePage ? n - page * cachePage : cachePage;
    float score = 0.0f;
    for (int i = parity; i < d; i += 2) score += query[i] * keys[i * cachePage + slot];
    score = (score + __shfl_xor_sync(wholeWarp, score, cachePage)) * scale;
    if (slot >= count) score = -INFINITY;
    const float best = fmaxf(top, warpMax(score)), kept = expf(top - best), p = expf(score - best);
    mass = mass * kept + warpSum(parity == 0 ? p : 0.0f);
    top = best;
#pragma unroll
    for (int c = 0; c < maxColumns; c++) sums[c] *= kept;
    for (int j = 0; j < count; j++) {
      const float weight = __shfl_sync(wholeWarp, p, j);
#pragma unroll
      for (int c = 0; c < maxColumns; c++) {
        const int i = laneIndex() + c * warpThreads;
        if (i < d) sums[c] += weight * values[j * d + i];
      }
    }
  }
  if (laneIndex() == 0) {
    tops[warpIndex()] = top;
    masses[warpIndex()] = mass;
  }
#pragma unroll
  for (int c = 0; c < maxColumns; c++) parts[warpIndex() * maxHeadDim + laneIndex() + c * warpThreads] = sums[c];
  __syncthreads();

  float best = tops[0], total = 0.0f;
  for (int w = 1; w < warps; w++) best = fmaxf(best, tops[w]);
  for (int w = 0; w < warps; w++) total += masses[w] * expf(tops[w] - best);
  for (int i = static_cast<int>(threadIdx.x); i < d; i += threads) {
    float sum = 0.0f;
    for (int w = 0; w < warps; w++) sum += parts[w * maxHeadDim + i] * expf(tops[w] - best);
    out[static_cast<Index>(blockIdx.x) * h.queryDim() + head * d + i] = sum / total;
  }
}

}  // namespace

void launch::cacheWrite(Stream stream, const float* qkv, float* const* pages, const std::int32_t* first,
                        const std::int32_t* visible, Index rows, Heads h, Index layerOffset) {
  LAUNCH(cacheWriteRow, dim3(static_cast<unsigned>(rows)), dim3(threads), stream, qkv, pages, first, visible, h,
         layerOffset);
}

void launch::cacheAttention(Stream stream, const float* qkv, float* const* pages, const std::int32_t* first,
                            const std::int32_t* visible, Index rows, Heads h, Index layerOffset, float* out) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(h.headDim));
  LAUNCH(cacheAttentionHead, dim3(static_cast<unsigned>(rows), static_cast<unsigned>(h.heads)), dim3(threads), stream,
         qkv, pages, first, visible, h, layerOffset, scale, out);
}

}  // namespace actors::cuda
