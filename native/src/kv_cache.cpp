#include "kv_cache.h"

#include <algorithm>

namespace actors {

namespace {

Index common(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  const auto length = static_cast<Index>(std::min(a.size(), b.size()));
  return std::mismatch(a.begin(), a.begin() + length, b.begin()).first - a.begin();
}

}  // namespace

void KvCache::reserve(Context& context, Index positions) {
  while (static_cast<Index>(context.pages.size()) * pageTokens_ < positions) context.pages.push_back(take());
}

float* KvCache::take() {
  for (;;) {
    if (float* page = pool_.take()) return page;
    const auto oldest = std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
      return a.second.lastUsed < b.second.lastUsed;
    });
    if (oldest == sessions_.end()) throw Error(ErrorCode::Internal, "the key-value cache ran out of pages");
    drop(oldest->second.context);
    sessions_.erase(oldest);
  }
}

void KvCache::drop(Context& context) {
  pool_.give(context.pages);
  context.cached = 0;
}

void KvCache::keep(const std::string& session, Context context) {
  sessions_[session] = {std::move(context), ++clock_};
}

void KvCache::resume(const std::string& session, Context& context) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  Context& earlier = found->second.context;
  context.pages = std::move(earlier.pages);
  // The last token is always fed, since its logits are needed.
  context.cached = std::min({common(earlier.tokens, context.tokens), earlier.cached, context.length() - 1});
  sessions_.erase(found);
}

void KvCache::release(const std::string& session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  drop(found->second.context);
  sessions_.erase(found);
}

void KvCache::releaseAll() {
  for (auto& [name, session] : sessions_) drop(session.context);
  sessions_.clear();
}

}  // namespace actors
