#pragma once

#include "gpu.h"

// Tensor cores: the one matrix instruction that is used, and bf16 pairs as its operands.

namespace actors::cuda {

/// Two values rounded to bf16, to nearest, ties to even; `low` in the lower half.
__device__ inline std::uint32_t packBf16(float low, float high);

/// c [16, 8] += a [16, 16] . b [16, 8], shared out over a warp (PTX ISA, mma.m16n8k16). With g = lane / 4 and
/// t = lane % 4, a lane has of c: rows g and g + 8 of columns 2t and 2t + 1; of a: the same rows of columns 2t and 2t + 1,
/// then of 2t + 8 and 2t + 9; of b: rows 2t and 2t + 1, then 2t + 8 and 2t + 9, of column g.
__device__ inline void multiplyFragments(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

#if defined(__CUDACC__)
__device__ inline std::uint32_t packBf16(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

__device__ inline void multiplyFragments(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#else
__device__ inline std::uint32_t packBf16(float low, float high) {
  const auto rounded = [](float value) {
    const std::uint32_t bits = __float_as_uint(value);
    return std::isnan(value) ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  };
  return rounded(low) | rounded(high) << 16;
}

__device__ inline void multiplyFragments(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  shim::multiplyFragments(SHIM_SITE, c, a, b);
}
#endif

}  // namespace actors::cuda
