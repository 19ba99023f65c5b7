#include "kv_cache.h"

#include <algorithm>

namespace actors {

namespace {

Index common(const Context& a, const Context& b) {
  const Index length = std::min(a.length(), b.length());
  return std::mismatch(a.tokens.begin(), a.tokens.begin() + length, b.tokens.begin()).first - a.tokens.begin();
}

}  // namespace

bool KvCache::begin(Sequence& sequence, const std::vector<std::unique_ptr<Sequence>>& running, std::int32_t version,
                    Index& reused) {
  Context& context = sequence.context;
  const std::string& session = sequence.request.session;
  const Index most = context.length() - 1;  // the last token is always fed, since its logits are needed
  const Context* best = nullptr;
  Index length = 0, coming = 0;
  const auto consider = [&](const Context& other) {
    const Index alike = std::min(common(other, context), most), ready = std::min(alike, other.cached);
    if (ready > length) {
      best = &other;
      length = ready;
    }
    coming = std::max(coming, alike);
  };
  for (Kept& kept : kept_) {
    const bool own = !session.empty() && kept.session == session;
    if (!own && kept.context.version != version) continue;
    const Index before = length;
    consider(kept.context);
    if (length > before) kept.lastUsed = ++clock_;
  }
  coming = length;  // what has finished grows no more
  for (const auto& older : running) {
    if (older.get() == &sequence) break;
    if (older->context.begun() && older->context.version == version) consider(older->context);
  }
  if (coming - length >= pageTokens_) return false;

  context.version = version;
  if (best != nullptr) {
    const auto count = static_cast<std::ptrdiff_t>((length + pageTokens_ - 1) / pageTokens_);
    context.pages.assign(best->pages.begin(), best->pages.begin() + count);
    for (float* page : context.pages) pool_.share(page);
    context.cached = length;
    context.version = best->version;
  }
  if (!session.empty()) release(session);
  reused += length;
  return true;
}

void KvCache::reserve(Context& context, Index positions) {
  const auto first = static_cast<std::size_t>(context.cached / pageTokens_);
  if (first < context.pages.size() && pool_.shared(context.pages[first])) {
    float* page = take();
    pool_.copy(context.pages[first], page);
    pool_.give(context.pages[first]);
    context.pages[first] = page;
  }
  while (static_cast<Index>(context.pages.size()) * pageTokens_ < positions) context.pages.push_back(take());
}

float* KvCache::take() {
  for (;;) {
    if (float* page = pool_.take()) return page;
    const auto oldest = std::min_element(kept_.begin(), kept_.end(),
                                         [](const Kept& a, const Kept& b) { return a.lastUsed < b.lastUsed; });
    if (oldest == kept_.end()) throw Error(ErrorCode::Internal, "the key-value cache ran out of pages");
    drop(oldest->context);
    kept_.erase(oldest);
  }
}

void KvCache::drop(Context& context) {
  for (float* page : context.pages) pool_.give(page);
  context.pages.clear();
  context.cached = 0;
}

void KvCache::keep(const std::string& session, Context context) {
  if (!session.empty()) release(session);
  kept_.push_back({session, std::move(context), ++clock_});
}

void KvCache::release(const std::string& session) {
  std::erase_if(kept_, [&](Kept& kept) {
    if (kept.session != session) return false;
    drop(kept.context);
    return true;
  });
}

void KvCache::releaseAll() {
  for (Kept& kept : kept_) drop(kept.context);
  kept_.clear();
}

}  // namespace actors
