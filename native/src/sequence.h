#pragma once

#include <cstdint>
#include <vector>

#include "actors/engine.h"

namespace actors {

/// Tokens, with the keys and values of the first `cached` of them in pages of the cache.
struct Context {
  std::vector<std::int32_t> tokens;
  std::vector<float*> pages;
  Index cached = 0;

  Index length() const { return static_cast<Index>(tokens.size()); }
};

/// A request on its way: context holds its prompt and what was generated so far.
struct Sequence {
  std::int64_t id = 0;
  GenerationRequest request;
  Context context;
  Generation output;
};

}  // namespace actors
