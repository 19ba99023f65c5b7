// The inner loops, included once by each kernels_<isa>.cpp, which is compiled with that instruction set's flags.
// Nothing here may instantiate an inline function of a standard header: the linker could then pick the copy compiled
// for the newest processor for everyone, and older ones would die of SIGILL. Hence builtins and plain loops only.

#include "attention.inl"
#include "gemm.inl"

namespace {

void rmsNorm(const float* x, const float* weight, float* y, float* rstd, Index rows, Index dim, float eps) {
  for (Index row = 0; row < rows; row++, x += dim, y += dim) {
    vf squares = {};
    forEachVector(dim, [&](Index i, Index count) {
      const vf v = get(x + i, count);
      squares += v * v;
    });
    const float scale = 1.0f / __builtin_sqrtf(sumLanes(squares) / static_cast<float>(dim) + eps);
    if (rstd != nullptr) rstd[row] = scale;
    forEachVector(dim,
                  [&](Index i, Index count) { put(y + i, get(x + i, count) * scale * get(weight + i, count), count); });
  }
}

void rmsNormBackward(const float* dy, const float* x, const float* weight, const float* rstd, float* dx, float* dWeight,
                     Index rows, Index dim) {
  for (Index row = 0; row < rows; row++, x += dim, dy += dim, dx += dim) {
    const float scale = rstd[row];
    vf dots = {};
    forEachVector(
        dim, [&](Index i, Index count) { dots += get(dy + i, count) * get(weight + i, count) * get(x + i, count); });
    const float shared = sumLanes(dots) * scale * scale / static_cast<float>(dim);
    forEachVector(dim, [&](Index i, Index count) {
      const vf xi = get(x + i, count), dyi = get(dy + i, count);
      put(dx + i, get(dx + i, count) + scale * (dyi * get(weight + i, count) - xi * shared), count);
      put(dWeight + i, get(dWeight + i, count) + dyi * xi * scale, count);
    });
  }
}

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

void add(float* y, const float* x, Index n) {
  forEachVector(n, [&](Index i, Index count) { put(y + i, get(y + i, count) + get(x + i, count), count); });
}

void scale(float* x, float factor, Index n) {
  forEachVector(n, [&](Index i, Index count) { put(x + i, get(x + i, count) * factor, count); });
}

float dot(const float* a, const float* b, Index n) {
  vf sums = {};
  forEachVector(n, [&](Index i, Index count) { sums += get(a + i, count) * get(b + i, count); });
  return sumLanes(sums);
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
    ACTORS_ISA_NAME,
    pack,
    packTransposed,
    gemm,
    rmsNorm,
    rmsNormBackward,
    rope,
    swiglu,
    swigluBackward,
    softmax,
    softmaxReplay,
    softmaxBackward,
    logSoftmax,
    logSoftmaxBackward,
    attendCached,
    add,
    scale,
    dot,
    squaredNorm,
    adamw,
    sumRanks,
};

}  // namespace actors::cpu
