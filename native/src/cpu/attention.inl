// Softmax and attention over cached pages for one instruction set. See kernels.inl for the rule on headers.

#include "vector.inl"

namespace {

inline float maximum(const float* x, Index n) {
  vf best = splat(-infinity);
  forEachVector(n, [&](Index i, Index count) {
    const vf v = get(x + i, count, -infinity);
    best = v > best ? v : best;
  });
  return maxLanes(best);
}

float softmax(float* scores, Index n, float scale) {
  const float top = maximum(scores, n) * scale;
  vf sums = {};
  Index i = 0;
  for (; i + W <= n; i += W) {
    const vf e = exponential(load(scores + i) * scale - top);
    store(scores + i, e);
    sums += e;
  }
  float sum = sumLanes(sums);
  if (i < n) {
    float lanes[W];
    store(lanes, exponential(loadPart(scores + i, n - i, 0.0f) * scale - top));
    for (Index j = i; j < n; j++) {
      scores[j] = lanes[j - i];
      sum += lanes[j - i];
    }
  }
  const float inverse = 1.0f / sum;
  forEachVector(n, [&](Index j, Index count) { put(scores + j, get(scores + j, count) * inverse, count); });
  return top + __builtin_logf(sum);
}

void softmaxReplay(float* scores, Index n, Index width, float scale, float lse) {
  forEachVector(
      n, [&](Index i, Index count) { put(scores + i, exponential(get(scores + i, count) * scale - lse), count); });
  for (Index i = n; i < width; i++) scores[i] = 0.0f;
}

void softmaxBackward(const float* p, float* dP, Index n, Index width, float scale) {
  vf dots = {};
  forEachVector(n, [&](Index i, Index count) { dots += get(p + i, count) * get(dP + i, count); });
  const float mean = sumLanes(dots);
  forEachVector(
      n, [&](Index i, Index count) { put(dP + i, get(p + i, count) * (get(dP + i, count) - mean) * scale, count); });
  for (Index i = n; i < width; i++) dP[i] = 0.0f;
}

// Attention over the cache keeps four sums in flight, so that an addition need not wait for the one before it.
constexpr int chains = 4;

/// scores[j...] = query . keys of one page, for as many positions as one vector holds.
inline vf pageScores(const float* query, const float* keys, Index headDim) {
  vf sums[chains] = {};
  Index d = 0;
  for (; d + chains <= headDim; d += chains) {
#pragma GCC unroll 4
    for (int c = 0; c < chains; c++) sums[c] += query[d + c] * load(keys + (d + c) * pageSize);
  }
  for (int c = 0; d < headDim; d++, c++) sums[c] += query[d] * load(keys + d * pageSize);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// out[from...] = sum over positions of score * value, as many columns as whole vectors V cover; returns where it
/// stopped.
template <class V>
inline Index weighValues(const float* scores, const float* const* pages, Index values, Index n, Index headDim,
                         Index from, float* out) {
  constexpr Index width = sizeof(V) / sizeof(float);
  for (; from + width <= headDim; from += width) {
    V sums[chains] = {};
    for (Index t = 0; t < n; t += pageSize) {
      const float* page = pages[t / pageSize] + values + from;
      const Index count = smaller(pageSize, n - t);
      Index j = 0;
      for (; j + chains <= count; j += chains) {
#pragma GCC unroll 4
        for (int c = 0; c < chains; c++) sums[c] += scores[t + j + c] * load<V>(page + (j + c) * headDim);
      }
      for (int c = 0; j < count; j++, c++) sums[c] += scores[t + j] * load<V>(page + j * headDim);
    }
    store(out + from, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
  return from;
}

void attendCached(const float* query, const float* const* pages, Index offset, Index n, Index headDim, float scale,
                  float* scores, float* out) {
  for (Index t = 0; t < n; t += pageSize) {
    const float* keys = pages[t / pageSize] + offset;
    for (Index j = 0; j < pageSize; j += W) store(scores + t + j, pageScores(query, keys + j, headDim));
  }
  softmax(scores, n, scale);
  const Index values = offset + headDim * pageSize;
  Index d = weighValues<vf>(scores, pages, values, n, headDim, 0, out);
  d = weighValues<quad>(scores, pages, values, n, headDim, d, out);
  for (; d < headDim; d++) {
    float sum = 0.0f;
    for (Index t = 0; t < n; t++) sum += scores[t] * pages[t / pageSize][values + t % pageSize * headDim + d];
    out[d] = sum;
  }
}

}  // namespace
