#include "actors/memory.h"

#include <sys/mman.h>

#include <string>

#include "actors/error.h"

namespace actors {

Buffer::Buffer(Index floats) : size_(floats) {
  if (floats == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::OutOfMemory, "out of memory: could not allocate " + std::to_string(bytes >> 20) + " MiB");
  }
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t hugePage = std::size_t{2} << 20;
  if (bytes >= 2 * hugePage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  data_ = static_cast<float*>(memory);
}

Buffer::~Buffer() {
  if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(size_) * sizeof(float));
}

float* Buffer::reserve(Index floats) {
  if (floats > size_) {
    *this = Buffer();  // release before the larger allocation, so the two never coexist
    *this = Buffer(floats + floats / 4);
  }
  return data_;
}

}  // namespace actors
