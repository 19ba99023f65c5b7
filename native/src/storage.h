#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "actors/error.h"
#include "actors/safetensors.h"

// fp32 to and from what files hold. Rounding is to nearest, ties to even, as torch does it.

namespace actors {

inline std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float fromBf16(std::uint16_t bits) { return floatOf(std::uint32_t{bits} << 16); }

inline std::uint16_t toBf16(float value) {
  const std::uint32_t bits = bitsOf(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float fromF16(std::uint16_t bits) {
  // The exponent moves up by 112 in one multiplication, which also handles subnormals.
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const float magnitude = floatOf(static_cast<std::uint32_t>(bits & 0x7fff) << 13) * 0x1p112f;
  const std::uint32_t special = (bits & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
  return floatOf(bitsOf(magnitude) | special | sign);
}

inline std::uint16_t toF16(float value) {
  const std::uint32_t bits = bitsOf(value), sign = bits >> 16 & 0x8000;
  const float magnitude = std::abs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00);
  // Below 2^-14 halves are multiples of 2^-24: adding 0.5 lets the hardware round to them.
  if (magnitude < 0x1p-14f) return static_cast<std::uint16_t>(sign | (bitsOf(magnitude + 0.5f) - bitsOf(0.5f)));
  const std::uint32_t rounded = bitsOf(magnitude) + 0xfff + (bits >> 13 & 1) - (112u << 23);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

inline const char* storageName(Storage storage) {
  return storage == Storage::F32 ? "F32" : storage == Storage::BF16 ? "BF16" : "F16";
}

/// `bytes` of values of this dtype as fp32; returns the end of what it wrote.
inline float* decode(const char* data, std::uint64_t bytes, const std::string& dtype, float* values) {
  if (dtype == "F32") {
    std::memcpy(values, data, bytes);
    return values + bytes / sizeof(float);
  }
  const auto convert = dtype == "BF16" ? fromBf16 : fromF16;
  for (const char* end = data + bytes; data < end; data += sizeof(std::uint16_t)) {
    std::uint16_t half;
    std::memcpy(&half, data, sizeof half);
    *values++ = convert(half);
  }
  return values;
}

/// sink(data, bytes) for consecutive pieces of the tensor as it is stored.
template <class Sink>
void encode(const TensorView& tensor, Storage storage, Sink sink) {
  constexpr Index chunk = 1 << 19;
  Index count = 1;
  for (const Index extent : tensor.shape) count *= extent;
  if (storage == Storage::F32) {
    sink(tensor.data, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  std::vector<std::uint16_t> halves;
  for (Index done = 0; done < count; done += chunk) {
    const float* values = tensor.data + done;
    const Index size = std::min(chunk, count - done);
    halves.resize(static_cast<std::size_t>(size));
    std::transform(values, values + size, halves.begin(), storage == Storage::BF16 ? toBf16 : toF16);
    for (Index i = 0; storage == Storage::F16 && i < size; i++) {
      require((halves[static_cast<std::size_t>(i)] & 0x7fff) != 0x7c00 || std::isinf(values[i]),
              tensor.name + " holds " + std::to_string(values[i]) + ", which F16 cannot; store it as BF16 or F32");
    }
    sink(halves.data(), halves.size() * sizeof(std::uint16_t));
  }
}

}  // namespace actors
