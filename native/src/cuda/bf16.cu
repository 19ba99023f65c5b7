// fp32 to bf16, for the operands of matrix products: a thread an element.

#include "gpu.h"
#include "kernels.h"

namespace actors::cuda {

namespace {

constexpr int threads = 256;

__global__ void roundElement(const float* x, Index n, std::uint16_t* y) {
  const Index i = globalIndex();
  if (i >= n) return;
  const std::uint32_t bits = __float_as_uint(x[i]);
  const bool number = (bits & 0x7fffffffu) <= 0x7f800000u;
  // To nearest, ties to even; what is no number stays none.
  y[i] = static_cast<std::uint16_t>(number ? (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16 : bits >> 16 | 0x40u);
}

}  // namespace

void launch::toBf16(Stream stream, const float* x, Index n, std::uint16_t* y) {
  LAUNCH(roundElement, dim3(blocksFor(n, threads)), dim3(threads), stream, x, n, y);
}

}  // namespace actors::cuda
