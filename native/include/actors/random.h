#pragma once

#include <array>
#include <cstdint>

namespace actors {

/// Philox4x32-10 (Salmon et al. 2011, "Parallel Random Numbers: As Easy as 1, 2, 3"): four random words as a pure
/// function of key and counter. Counter-based, so a draw depends on nothing but (seed, position).
inline std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counter, std::uint64_t stream = 0) {
  std::array<std::uint32_t, 4> x = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                                    static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * x[0], b = std::uint64_t{0xCD9E8D57u} * x[2];
    x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(a)};
  }
  return x;
}

/// Uniform in [0, 1) with 53 random bits.
inline double uniform(std::uint64_t key, std::uint64_t counter, std::uint64_t stream = 0) {
  const auto words = philox(key, counter, stream);
  const std::uint64_t bits = (std::uint64_t{words[0]} << 32 | words[1]) >> 11;
  return static_cast<double>(bits) * 0x1.0p-53;
}

}  // namespace actors
