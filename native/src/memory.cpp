#include "actors/memory.h"

#include <sys/mman.h>

#include <string>

#include "actors/error.h"

namespace actors {

namespace {

class HostMemory final : public Memory {
 public:
  float* allocate(Index floats) override;
  void release(float* memory, Index floats) noexcept override {
    munmap(memory, static_cast<std::size_t>(floats) * sizeof(float));
  }
};

float* HostMemory::allocate(Index floats) {
  const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::OutOfMemory, "out of memory: could not allocate " + std::to_string(bytes >> 20) + " MiB");
  }
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t hugePage = std::size_t{2} << 20;
  if (bytes >= 2 * hugePage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return static_cast<float*>(memory);
}

}  // namespace

Memory& hostMemory() {
  static HostMemory memory;
  return memory;
}

Buffer::Buffer(Index floats, Memory& memory) : memory_(&memory), size_(floats) {
  if (floats > 0) data_ = memory.allocate(floats);
}

Buffer::~Buffer() {
  if (data_ != nullptr) memory_->release(data_, size_);
}

float* Buffer::reserve(Index floats) {
  if (floats > size_) {
    *this = Buffer(*memory_);  // release before the larger allocation, so the two never coexist
    *this = Buffer(floats + floats / 4, *memory_);
  }
  return data_;
}

}  // namespace actors
