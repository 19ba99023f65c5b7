#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "page_pool.h"
#include "sequence.h"

namespace actors {

/// Pages of running sequences, and those that finished ones left behind. Whoever begins like another takes over its
/// pages instead of computing them: whole ones are shared, the last one, which both will write to, is copied. A key or
/// value depends on the tokens up to it and the weights alone, so this changes no bit of what is generated.
/// What finished sequences left uses pages that running ones do not need; the longest unused is evicted first.
class KvCache {
 public:
  /// Room for `maxPages` pages of `pageTokens` positions each, `pageFloats` floats in all layers together.
  KvCache(Index pageFloats, Index pageTokens, Index maxPages) : pageTokens_(pageTokens), pool_(pageFloats, maxPages) {}

  /// Takes over the longest beginning that a sequence has in common with an older one in `running` or with one that
  /// has finished, and adds its length to `reused`. Only what this version of the weights computed counts, unless it
  /// is the sequence's own session. Takes nothing and returns false while an older one is about to compute at least a
  /// page more of it: ask again at the next step.
  bool begin(Sequence& sequence, const std::vector<std::unique_ptr<Sequence>>& running, std::int32_t version,
             Index& reused);

  /// Makes positions [cached, positions) writable.
  void reserve(Context& context, Index positions);
  /// Gives back everything that is cached of a context.
  void drop(Context& context);

  /// Leaves a finished sequence's cache to its session's next turn and to whoever begins like it. Without a session
  /// ("") it stays until release("").
  void keep(const std::string& session, Context context);
  void release(const std::string& session);
  void releaseAll();

 private:
  struct Kept {
    std::string session;
    Context context;
    std::uint64_t lastUsed = 0;
  };

  float* take();

  Index pageTokens_;
  PagePool pool_;
  std::vector<Kept> kept_;
  std::uint64_t clock_ = 0;
};

}  // namespace actors
