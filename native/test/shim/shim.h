#pragma once

// CUDA without a GPU: kernel files compile as C++ against this header, and the threads of a block run as fibers, one
// block after another. A warp runs until all of it waits at a barrier or has ended, before any other does: together
// with other orders of running (runSeed) that shows a barrier that is missing, as does one left out (skipBarrier).
// Shared memory is filled with NaN for each block and lies in allocations of its own, where AddressSanitizer sees its
// bounds. It cannot show: races within a warp or between blocks, memory order, occupancy, speed.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

namespace shim {

/// A kernel that waits for ever, or leaves threads behind; what() says which threads wait where.
class Deadlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the running thread sees of the launch.
struct Place {
  dim3 thread, block, blockSize, gridSize;
};
extern Place place;

/// 0: warps, and lanes of a warp, run in order; 1: in reverse; other seeds shuffle them anew each time.
extern std::uint64_t runSeed;

/// A place in the sources, made once for each __syncthreads() and each shared array.
struct Site {
  std::string file;
  int line;
  bool operator==(const Site&) const = default;
};
int addSite(const char* file, int line);

/// Where kernels have reached barriers, each place in the sources once.
std::vector<Site> barriersReached();
/// The barrier in this place, of every template that holds it, does nothing from now on.
void skipBarrier(const Site& site);
void skipNoBarrier();

void launch(const char* kernel, dim3 grid, dim3 block, const std::function<void()>& body);
void barrier(int site);
void warpBarrier(int site);
void* shared(int site, std::size_t bytes);

/// Leaves 8 bytes for the warp and takes those of lane `source`.
std::uint64_t exchange(int site, std::uint64_t bits, int source);
int lane();

/// mma.m16n8k16 with bf16 operands and fp32 sums, by the layout of fragments that the PTX ISA gives.
void multiplyFragments(int site, float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

template <class T>
T shuffle(int site, T value, int source) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = exchange(site, bits, source);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace shim

#define SHIM_SITE                                                \
  ([]() -> int {                                                 \
    static const int site = ::shim::addSite(__FILE__, __LINE__); \
    return site;                                                 \
  }())

#define __global__
#define __device__
#define __launch_bounds__(threads)
#define threadIdx (::shim::place.thread)
#define blockIdx (::shim::place.block)
#define blockDim (::shim::place.blockSize)
#define gridDim (::shim::place.gridSize)

#define __syncthreads() ::shim::barrier(SHIM_SITE)
#define __syncwarp() ::shim::warpBarrier(SHIM_SITE)
// Only whole warps shuffle here, so the mask says nothing.
#define __shfl_sync(mask, value, source) ::shim::shuffle(SHIM_SITE, value, source)
#define __shfl_xor_sync(mask, value, distance) ::shim::shuffle(SHIM_SITE, value, ::shim::lane() ^ (distance))

#define SHARED(type, name, count) \
  type* const name = static_cast<type*>(::shim::shared(SHIM_SITE, sizeof(type) * (count)))
#define LAUNCH(kernel, grid, block, stream, ...) \
  (static_cast<void>(stream), ::shim::launch(#kernel, grid, block, [&] { kernel(__VA_ARGS__); }))

inline std::uint32_t __float_as_uint(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
