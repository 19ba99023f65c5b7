#pragma once

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "actors/error.h"
#include "actors/memory.h"

namespace actors {

/// Fixed-size pages of the key-value cache, allocated from the system in slabs as they are first needed. A page may
/// have several owners, who then only read it. (Kwon et al. 2023, "PagedAttention".)
class PagePool {
 public:
  PagePool(Index pageFloats, Index limit) : pageFloats_(pageFloats), limit_(limit) {}

  /// A page with old content, or null when `limit` pages are out.
  float* take() {
    if (free_.empty() && !grow()) return nullptr;
    float* page = free_.back();
    free_.pop_back();
    return page;
  }

  /// One more owner.
  void share(float* page) { others_[page]++; }
  bool shared(float* page) const { return !others_.empty() && others_.contains(page); }
  void copy(const float* from, float* to) const {
    std::memcpy(to, from, static_cast<std::size_t>(pageFloats_) * sizeof(float));
  }

  /// One owner fewer; the last one's page is free again.
  void give(float* page) {
    const auto found = others_.find(page);
    if (found == others_.end()) free_.push_back(page);
    else if (--found->second == 0) others_.erase(found);
  }

 private:
  static constexpr Index slabFloats = 1 << 20;

  bool grow() {
    const Index count = std::min(limit_ - created_, std::max<Index>(1, slabFloats / pageFloats_));
    if (count <= 0) return false;
    slabs_.emplace_back(count * pageFloats_);
    for (Index i = count; i-- > 0;) free_.push_back(slabs_.back().data() + i * pageFloats_);
    created_ += count;
    return true;
  }

  Index pageFloats_, limit_, created_ = 0;
  std::vector<Buffer> slabs_;
  std::vector<float*> free_;
  std::unordered_map<float*, int> others_;  ///< owners beyond the first
};

}  // namespace actors
