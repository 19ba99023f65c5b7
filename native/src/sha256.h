#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace actors {

using Digest = std::array<std::uint8_t, 32>;

/// SHA-256 (FIPS 180-4).
Digest sha256(const std::string& message);

/// HMAC-SHA-256 (RFC 2104): proof that whoever made it knows the key.
Digest hmacSha256(const std::string& key, const std::string& message);

/// Takes as long wherever they differ.
bool sameDigest(const Digest& a, const Digest& b);

}  // namespace actors
