#pragma once

#include <cstddef>

#include "actors/memory.h"
#include "kernels.h"

namespace actors::cuda {

/// c [m, n] (+)= a [m, k] . b [k, n], all row-major without gaps; a transposed operand is stored the other way round.
/// c is fp32, the operands fp32 or both bf16; sums are fp32.
struct Product {
  Index m, n, k;
  const void *a, *b;
  bool aTransposed, bTransposed, bf16, accumulate;
  float* c;
};

/// A GPU as the backend needs it. Everything happens in the order of one stream.
class Device : public Memory {
 public:
  virtual const char* name() const = 0;
  virtual Stream stream() = 0;
  /// The host memory may change as soon as this returns.
  virtual void upload(const void* host, std::size_t bytes, void* to) = 0;
  /// Returns when the bytes are there.
  virtual void download(const void* from, std::size_t bytes, void* host) = 0;
  virtual void copy(const void* from, std::size_t bytes, void* to) = 0;
  virtual void zero(void* to, std::size_t bytes) = 0;
  virtual void multiply(const Product& product) = 0;
};

}  // namespace actors::cuda
