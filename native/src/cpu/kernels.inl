// The inner loops, included once by each kernels_<isa>.cpp, which is compiled with that instruction set's flags.
// Nothing here may instantiate an inline function of a standard header: the linker could then pick the copy compiled
// for the newest processor for everyone, and older ones would die of SIGILL. Hence builtins and plain loops only.

#include "gemm.inl"

namespace {

constexpr float infinity = __builtin_inff();

inline float sumLanes(vf v) {
  float lanes[W];
  store(lanes, v);
  for (int width = W / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; i++) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

inline float maxLanes(vf v) {
  float lanes[W];
  store(lanes, v);
  float best = lanes[0];
  for (int i = 1; i < W; i++) best = lanes[i] > best ? lanes[i] : best;
  return best;
}

/// The first n < W floats, the rest filled.
inline vf loadPart(const float* p, Index n, float fill) {
  float lanes[W];
  for (int i = 0; i < W; i++) lanes[i] = i < n ? p[i] : fill;
  return load(lanes);
}

inline void storePart(float* p, vf v, Index n) {
  float lanes[W];
  store(lanes, v);
  for (Index i = 0; i < n; i++) p[i] = lanes[i];
}

/// Calls body(offset, count) for every whole vector, then once for what is left.
template <class Body>
inline void forEachVector(Index n, Body body) {
  Index i = 0;
  for (; i + W <= n; i += W) body(i, Index{W});
  if (i < n) body(i, n - i);
}

inline vf get(const float* p, Index count, float fill = 0.0f) { return count == W ? load(p) : loadPart(p, count, fill); }
inline void put(float* p, vf v, Index count) {
  if (count == W) store(p, v);
  else storePart(p, v, count);
}

/// e^x to about 2 ulp (Cephes' expf polynomial); inputs are clamped to the finite range, NaN stays NaN.
inline vf exponential(vf x) {
  const vf low = splat(-87.33654f), high = splat(88.72283f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  const vf magic = splat(12582912.0f);
  const vf n = (x * 1.44269504088896341f + magic) - magic;
  vf r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  vf p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const vi exponent = __builtin_convertvector(n, vi);
  // 2^128 does not exist in fp32: scale in two halves.
  const vi half = exponent >> 1;
  const vf scaleA = reinterpret_cast<vf>((half + 127) << 23);
  const vf scaleB = reinterpret_cast<vf>((exponent - half + 127) << 23);
  return p * scaleA * scaleB;
}

inline vf sigmoid(vf x) { return 1.0f / (1.0f + exponential(-x)); }

void rmsNorm(const float* x, const float* weight, float* y, float* rstd, Index rows, Index dim, float eps) {
  for (Index row = 0; row < rows; row++, x += dim, y += dim) {
    vf squares = {};
    forEachVector(dim, [&](Index i, Index count) {
      const vf v = get(x + i, count);
      squares += v * v;
    });
    const float scale = 1.0f / __builtin_sqrtf(sumLanes(squares) / static_cast<float>(dim) + eps);
    if (rstd != nullptr) rstd[row] = scale;
    forEachVector(dim, [&](Index i, Index count) { put(y + i, get(x + i, count) * scale * get(weight + i, count), count); });
  }
}

void rmsNormBackward(const float* dy, const float* x, const float* weight, const float* rstd, float* dx, float* dWeight,
                     Index rows, Index dim) {
  for (Index row = 0; row < rows; row++, x += dim, dy += dim, dx += dim) {
    const float scale = rstd[row];
    vf dots = {};
    forEachVector(dim, [&](Index i, Index count) { dots += get(dy + i, count) * get(weight + i, count) * get(x + i, count); });
    const float shared = sumLanes(dots) * scale * scale / static_cast<float>(dim);
    forEachVector(dim, [&](Index i, Index count) {
      const vf xi = get(x + i, count), dyi = get(dy + i, count);
      put(dx + i, get(dx + i, count) + scale * (dyi * get(weight + i, count) - xi * shared), count);
      put(dWeight + i, get(dWeight + i, count) + dyi * xi * scale, count);
    });
  }
}

typedef float quad __attribute__((vector_size(16)));

/// Pairs (i, half + i) of one head by the angle's cosine and sine; V is as wide as `half` allows.
template <class V>
inline Index rotate(float* row, Index from, Index half, const float* cosine, const float* sine, float direction) {
  constexpr Index width = sizeof(V) / sizeof(float);
  for (; from + width <= half; from += width) {
    const V x = load<V>(row + from), y = load<V>(row + half + from);
    const V c = load<V>(cosine + from), s = load<V>(sine + from) * direction;
    store(row + from, x * c - y * s);
    store(row + half + from, y * c + x * s);
  }
  return from;
}

void rope(float* row, Index heads, Index headDim, const float* cosine, const float* sine, float direction) {
  const Index half = headDim / 2;
  for (Index head = 0; head < heads; head++, row += headDim) {
    Index i = rotate<vf>(row, 0, half, cosine, sine, direction);
    i = rotate<quad>(row, i, half, cosine, sine, direction);
    for (; i < half; i++) {
      const float x = row[i], y = row[half + i], s = sine[i] * direction;
      row[i] = x * cosine[i] - y * s;
      row[half + i] = y * cosine[i] + x * s;
    }
  }
}

void swiglu(const float* gateUp, float* act, Index rows, Index ffn) {
  for (Index row = 0; row < rows; row++, gateUp += 2 * ffn, act += ffn) {
    forEachVector(ffn, [&](Index i, Index count) {
      const vf gate = get(gateUp + i, count);
      put(act + i, gate * sigmoid(gate) * get(gateUp + ffn + i, count), count);
    });
  }
}

void swigluBackward(const float* gateUp, const float* dAct, float* dGateUp, Index rows, Index ffn) {
  for (Index row = 0; row < rows; row++, gateUp += 2 * ffn, dGateUp += 2 * ffn, dAct += ffn) {
    forEachVector(ffn, [&](Index i, Index count) {
      const vf gate = get(gateUp + i, count), up = get(gateUp + ffn + i, count), d = get(dAct + i, count);
      const vf s = sigmoid(gate), silu = gate * s;
      put(dGateUp + i, d * up * (s + silu * (1.0f - s)), count);
      put(dGateUp + ffn + i, d * silu, count);
    });
  }
}

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
  forEachVector(n, [&](Index i, Index count) { put(scores + i, exponential(get(scores + i, count) * scale - lse), count); });
  for (Index i = n; i < width; i++) scores[i] = 0.0f;
}

void softmaxBackward(const float* p, float* dP, Index n, Index width, float scale) {
  vf dots = {};
  forEachVector(n, [&](Index i, Index count) { dots += get(p + i, count) * get(dP + i, count); });
  const float mean = sumLanes(dots);
  forEachVector(n, [&](Index i, Index count) { put(dP + i, get(p + i, count) * (get(dP + i, count) - mean) * scale, count); });
  for (Index i = n; i < width; i++) dP[i] = 0.0f;
}

void logSoftmax(const float* logits, Index n, Index target, float* logp, float* entropy, float* lse) {
  const float top = maximum(logits, n);
  vf sums = {}, weighted = {};
  Index i = 0;
  for (; i + W <= n; i += W) {
    const vf shifted = load(logits + i) - top, e = exponential(shifted);
    sums += e;
    weighted += e * shifted;
  }
  float sum = sumLanes(sums), product = sumLanes(weighted);
  if (i < n) {
    const vf shifted = loadPart(logits + i, n - i, 0.0f) - top;
    float e[W], d[W];
    store(e, exponential(shifted));
    store(d, shifted);
    for (Index j = 0; j < n - i; j++) {
      sum += e[j];
      product += e[j] * d[j];
    }
  }
  const float logSum = __builtin_logf(sum);
  *lse = top + logSum;
  *logp = (logits[target] - top) - logSum;
  if (entropy != nullptr) *entropy = logSum - product / sum;
}

void logSoftmaxBackward(float* logits, Index n, Index target, float lse, float entropy, float gLogp, float gEntropy) {
  forEachVector(n, [&](Index i, Index count) {
    const vf logP = get(logits + i, count) - lse;
    const vf p = exponential(logP);
    put(logits + i, p * (-gLogp - gEntropy * (logP + entropy)), count);
  });
  logits[target] += gLogp;
}

/// out[from...] = sum over positions of score * value, as many columns as whole vectors V cover; returns where it stopped.
template <class V>
inline Index weighValues(const float* scores, const float* const* pages, Index values, Index n, Index headDim, Index from, float* out) {
  constexpr Index width = sizeof(V) / sizeof(float);
  for (; from + width <= headDim; from += width) {
    V even = {}, odd = {};  // two chains, so that one addition need not wait for the last
    for (Index t = 0; t < n; t += pageSize) {
      const float* page = pages[t / pageSize] + values + from;
      const Index count = smaller(pageSize, n - t);
      for (Index j = 0; j + 2 <= count; j += 2) {
        even += scores[t + j] * load<V>(page + j * headDim);
        odd += scores[t + j + 1] * load<V>(page + (j + 1) * headDim);
      }
      if (count % 2 != 0) even += scores[t + count - 1] * load<V>(page + (count - 1) * headDim);
    }
    store(out + from, even + odd);
  }
  return from;
}

void attendCached(const float* query, const float* const* pages, Index offset, Index n, Index headDim, float scale,
                  float* scores, float* out) {
  const Index pageCount = (n + pageSize - 1) / pageSize;
  for (Index page = 0; page < pageCount; page++) {
    const float* keys = pages[page] + offset;
    for (Index j = 0; j < pageSize; j += W) {
      vf sums[2] = {};
      for (Index d = 0; d < headDim; d += 2) {
        sums[0] += query[d] * load(keys + d * pageSize + j);
        sums[1] += query[d + 1] * load(keys + (d + 1) * pageSize + j);
      }
      store(scores + page * pageSize + j, sums[0] + sums[1]);
    }
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

void add(float* y, const float* x, Index n) {
  forEachVector(n, [&](Index i, Index count) { put(y + i, get(y + i, count) + get(x + i, count), count); });
}

double squaredNorm(const float* x, Index n) {
  // Blocks are summed in fp32, blocks together in fp64: exact enough for a norm over billions of values.
  constexpr Index block = 1024;
  double total = 0.0;
  for (Index start = 0; start < n; start += block) {
    vf squares = {};
    forEachVector(n - start < block ? n - start : block, [&](Index i, Index count) {
      const vf v = get(x + start + i, count);
      squares += v * v;
    });
    total += static_cast<double>(sumLanes(squares));
  }
  return total;
}

inline vf squareRoot(vf x) {
  float lanes[W];
  store(lanes, x);
  for (int i = 0; i < W; i++) lanes[i] = __builtin_sqrtf(lanes[i]);
  return load(lanes);
}

void adamw(float* p, const float* g, float* m, float* v, Index n, const AdamwStep& s) {
  forEachVector(n, [&](Index i, Index count) {
    const vf grad = get(g + i, count) * s.gradScale;
    const vf first = get(m + i, count) * s.beta1 + grad * (1.0f - s.beta1);
    const vf second = get(v + i, count) * s.beta2 + grad * grad * (1.0f - s.beta2);
    put(m + i, first, count);
    put(v + i, second, count);
    const vf decayed = get(p + i, count) * (1.0f - s.lr * s.weightDecay);
    put(p + i, decayed - s.lr * (first * s.correction1) / (squareRoot(second * s.correction2) + s.eps), count);
  });
}

void sumRanks(const float* const* sources, Index ranks, float* out, Index n) {
  forEachVector(n, [&](Index i, Index count) {
    vf sum = get(sources[0] + i, count);
    for (Index rank = 1; rank < ranks; rank++) sum += get(sources[rank] + i, count);
    put(out + i, sum, count);
  });
}

}  // namespace

namespace actors::cpu {

extern const Kernels ACTORS_KERNELS;
const Kernels ACTORS_KERNELS = {
    ACTORS_ISA_NAME, pack,          packTransposed,     gemm,         rmsNorm, rmsNormBackward, rope,
    swiglu,          swigluBackward, softmax,           softmaxReplay, softmaxBackward, logSoftmax, logSoftmaxBackward,
    attendCached,    add,           squaredNorm,        adamw,        sumRanks,
};

}  // namespace actors::cpu
