#include "copy.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace actors::addon {

namespace {

constexpr std::size_t chunkBytes = std::size_t{1} << 20;
constexpr std::size_t worthAThread = std::size_t{4} << 20;
constexpr std::size_t pastTheCache = std::size_t{32} << 20;  // below it the reader finds some of it in the cache

#if defined(__SSE2__)
void copyStreaming(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  const std::size_t lead = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % 16);
  std::memcpy(to, from, lead);
  std::size_t at = lead;
  for (; at + 64 <= bytes; at += 64) {
    const auto* source = reinterpret_cast<const __m128i*>(from + at);
    auto* target = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
  std::memcpy(to + at, from + at, bytes - at);
}
#else
void copyStreaming(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

}  // namespace

void copyOnThreads(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  const auto copy = [streams = bytes >= pastTheCache](auto* target, const auto* source, std::size_t length) {
    if (streams) return copyStreaming(target, source, length);
    std::memcpy(target, source, length);
  };
  // More than there are cores of a small machine: where others are busy too, each thread gets its share.
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 8);
  const std::size_t threads = std::clamp<std::size_t>(bytes / worthAThread, 1, cores);
  if (threads == 1) return copy(to, from, bytes);
  std::atomic<std::size_t> next{0};  // chunk by chunk, so none waits for a thread that waits for a core
  const auto work = [&] {
    for (std::size_t at; (at = next.fetch_add(chunkBytes)) < bytes;)
      copy(to + at, from + at, std::min(chunkBytes, bytes - at));
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; i++) others.emplace_back(work);
  work();
  for (auto& other : others) other.join();
}

}  // namespace actors::addon
