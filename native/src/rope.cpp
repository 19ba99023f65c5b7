#include <cmath>
#include <numbers>

#include "actors/model.h"

namespace actors {

namespace {

/// Everything is rounded to fp32 where transformers rounds it, so that long positions agree too.
float stretched(float frequency, const RopeScaling& s) {
  const float wavelength = 2.0f * std::numbers::pi_v<float> / frequency;
  const auto original = static_cast<float>(s.originalLength), factor = static_cast<float>(s.factor);
  const auto low = static_cast<float>(s.lowFrequency), high = static_cast<float>(s.highFrequency);
  if (wavelength > original / low) return frequency / factor;
  if (wavelength < original / high) return frequency;
  const float kept = (original / wavelength - low) / (high - low);
  return (1.0f - kept) * frequency / factor + kept * frequency;
}

}  // namespace

RopeTable::RopeTable(const ModelConfig& config) {
  for (Index pair = 0; pair < config.headDim / 2; pair++) {
    const float exponent = static_cast<float>(2 * pair) / static_cast<float>(config.headDim);
    const float frequency = 1.0f / static_cast<float>(std::pow(config.ropeTheta, static_cast<double>(exponent)));
    frequencies_.push_back(config.ropeScaling.factor == 1.0 ? frequency : stretched(frequency, config.ropeScaling));
  }
}

void RopeTable::cover(Index count) {
  for (Index position = static_cast<Index>(cosine_.size()) / pairs(); position < count; position++) {
    for (const float frequency : frequencies_) {
      const auto angle = static_cast<double>(static_cast<float>(position) * frequency);
      cosine_.push_back(static_cast<float>(std::cos(angle)));
      sine_.push_back(static_cast<float>(std::sin(angle)));
    }
  }
}

}  // namespace actors
