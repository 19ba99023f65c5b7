#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/engine.h"

namespace actors {

/// Tokens, with the keys and values of the first `cached` of them in pages of the cache.
struct Context {
  std::vector<std::int32_t> tokens;
  std::vector<float*> pages;
  Index cached = 0;
  std::int32_t version = -1;  ///< of the weights under which caching began

  bool begun() const { return !pages.empty(); }
  Index length() const { return static_cast<Index>(tokens.size()); }
};

/// A request on its way: context holds its prompt and what was generated so far.
struct Sequence {
  std::int64_t id = 0;
  GenerationRequest request;
  Context context;
  Generation output;
  bool done = false;
  std::shared_ptr<const std::vector<std::string>> vocabulary;  ///< with stop strings
  std::string text;                                            ///< of the output, with stop strings
};

}  // namespace actors
