#pragma once

#include <cstddef>
#include <utility>

#include "actors/model.h"

namespace actors {

/// Rounds a length in floats up to a cache line, so that pieces of one buffer start aligned.
constexpr Index aligned(Index floats) { return (floats + 15) / 16 * 16; }

/// Where buffers lie: on the host, or on a device.
class Memory {
 public:
  virtual ~Memory() = default;
  /// Zeroed floats; throws OutOfMemory.
  virtual float* allocate(Index floats) = 0;
  virtual void release(float* memory, Index floats) noexcept = 0;
};

/// Page-aligned floats straight from the kernel, with huge pages where offered.
Memory& hostMemory();

/// Zeroed floats. First touch of memory is slow (seconds per GB), so owners keep their buffers and let them grow
/// instead of allocating for each call.
class Buffer {
 public:
  explicit Buffer(Memory& memory = hostMemory()) : memory_(&memory) {}
  explicit Buffer(Index floats, Memory& memory = hostMemory());
  Buffer(Buffer&& other) noexcept
      : memory_(other.memory_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer();

  float* data() { return data_; }
  const float* data() const { return data_; }
  Index size() const { return size_; }

  /// At least `floats` long afterwards; the content is lost when it grows.
  float* reserve(Index floats);

 private:
  Memory* memory_;
  float* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace actors
