#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "actors/error.h"
#include "actors/model.h"
#include "actors/random.h"

namespace actors::test {

inline int failures = 0;

inline void check(bool ok, const std::string& what) {
  if (ok) return;
  failures++;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
}

inline void checkClose(double got, double wanted, double tolerance, const std::string& what) {
  check(std::abs(got - wanted) <= tolerance,
        what + ": " + std::to_string(got) + " instead of " + std::to_string(wanted));
}

/// Relative L2 distance.
inline double distance(const float* got, const std::vector<double>& wanted) {
  double difference = 0.0, norm = 1e-30;
  for (std::size_t i = 0; i < wanted.size(); i++) {
    const double d = static_cast<double>(got[i]) - wanted[i];
    difference += d * d;
    norm += wanted[i] * wanted[i];
  }
  return std::sqrt(difference / norm);
}

/// The call must throw our Error with this code.
template <class Body>
void checkThrows(ErrorCode code, const std::string& what, Body body) {
  try {
    body();
    check(false, what + ": did not throw");
  } catch (const Error& error) {
    check(error.code() == code, what + ": threw " + codeName(error.code()) + ": " + error.what());
  }
}

inline std::vector<float> randomFloats(Index n, std::uint64_t seed, double scale = 1.0) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); i++)
    values[i] = static_cast<float>((uniform(seed, i) * 2.0 - 1.0) * scale);
  return values;
}

inline int report() {
  if (failures == 0) std::printf("ok\n");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace actors::test
