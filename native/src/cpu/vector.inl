#pragma once

// Vectors of one instruction set: access, sums over lanes, the exponential. See kernels.inl for the rule on headers.

#include "kernels.h"

namespace {

using actors::cpu::AdamwStep;
using actors::cpu::Index;
using actors::cpu::Kernels;
using actors::cpu::pageSize;
using actors::cpu::panelWidth;

constexpr int W = ACTORS_VECTOR_FLOATS;  ///< floats in one vector register

typedef float vf __attribute__((vector_size(W * 4)));
typedef int vi __attribute__((vector_size(W * 4)));
typedef float quad __attribute__((vector_size(16)));  ///< for head dimensions that are no multiple of W

/// Unaligned access; the copies compile to single instructions. (An unaligned vector type would be shorter, but loses
/// its alignment as a template argument.)
template <class V = vf>
inline V load(const float* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
inline void store(float* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
inline vf splat(float x) { return x - vf{}; }

inline Index smaller(Index a, Index b) { return a < b ? a : b; }

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

inline vf get(const float* p, Index count, float fill = 0.0f) {
  return count == W ? load(p) : loadPart(p, count, fill);
}
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

}  // namespace
