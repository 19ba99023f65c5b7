#pragma once

#include <cstdlib>
#include <cstring>

#include "actors/error.h"
#include "cuda/device.h"
#include "storage.h"

namespace actors::test {

/// The host in the place of a GPU, for kernels on the shim. Every allocation stands alone, so that AddressSanitizer
/// sees its bounds.
class HostDevice final : public cuda::Device {
 public:
  const char* name() const override { return "shim"; }
  cuda::Stream stream() override { return nullptr; }
  float* allocate(Index floats) override {
    void* memory = std::calloc(static_cast<std::size_t>(floats), sizeof(float));
    if (memory == nullptr) throw Error(ErrorCode::OutOfMemory, "out of memory");
    return static_cast<float*>(memory);
  }
  void release(float* memory, Index) noexcept override { std::free(memory); }
  void upload(const void* host, std::size_t bytes, void* to) override { std::memcpy(to, host, bytes); }
  void download(const void* from, std::size_t bytes, void* host) override { std::memcpy(host, from, bytes); }
  void copy(const void* from, std::size_t bytes, void* to) override { std::memcpy(to, from, bytes); }
  void zero(void* to, std::size_t bytes) override { std::memset(to, 0, bytes); }

  void multiply(const cuda::Product& p) override {
    const auto value = [&](const void* data, Index at) {
      return p.bf16 ? fromBf16(static_cast<const std::uint16_t*>(data)[at]) : static_cast<const float*>(data)[at];
    };
    for (Index i = 0; i < p.m; i++) {
      for (Index j = 0; j < p.n; j++) {
        float sum = p.accumulate ? p.c[i * p.n + j] : 0.0f;
        for (Index k = 0; k < p.k; k++)
          sum += value(p.a, p.aTransposed ? k * p.m + i : i * p.k + k) *
                 value(p.b, p.bTransposed ? j * p.k + k : k * p.n + j);
        p.c[i * p.n + j] = sum;
      }
    }
  }
};

}  // namespace actors::test
