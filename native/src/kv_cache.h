#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "page_pool.h"
#include "sequence.h"

namespace actors {

/// Pages of running sequences, and those that finished turns left behind for the next turn of their session. The
/// latter use what the former do not need: the ones unused for longest are evicted first.
class KvCache {
 public:
  /// Room for `maxPages` pages of `pageTokens` positions each, `pageFloats` floats in all layers together.
  KvCache(Index pageFloats, Index pageTokens, Index maxPages) : pageTokens_(pageTokens), pool_(pageFloats, maxPages) {}

  /// Pages for the first `positions` tokens.
  void reserve(Context& context, Index positions);
  /// Gives back everything that is cached of a context.
  void drop(Context& context);

  /// Leaves a finished turn's cache to its session.
  void keep(const std::string& session, Context context);
  /// Gives a session's cache to its next turn, as far as both begin alike.
  void resume(const std::string& session, Context& context);
  void release(const std::string& session);
  void releaseAll();

 private:
  struct Session {
    Context context;
    std::uint64_t lastUsed = 0;
  };

  float* take();

  Index pageTokens_;
  PagePool pool_;
  std::map<std::string, Session> sessions_;
  std::uint64_t clock_ = 0;
};

}  // namespace actors
