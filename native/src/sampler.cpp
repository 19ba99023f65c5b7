#include "sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "actors/random.h"

namespace actors {

namespace {

constexpr float never = -std::numeric_limits<float>::infinity();
/// The first of the highest values. In lanes, which the compiler makes vectors of.
std::int32_t argmax(const float* x, Index n) {
  constexpr Index lanes = 16;
  float best[lanes];
  std::fill(best, best + lanes, never);
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    for (Index j = 0; j < lanes; j++) best[j] = x[i + j] > best[j] ? x[i + j] : best[j];
  for (; i < n; i++) best[0] = std::max(best[0], x[i]);
  return static_cast<std::int32_t>(std::find(x, x + n, *std::max_element(best, best + lanes)) - x);
}

/// What the softmax gives a logit of -infinity, and no more.
constexpr float nothing = 1.2e-38f;

}  // namespace

std::int32_t Sampler::prepare(float* logits, const Sequence& sequence) {
  const GenerationRequest& r = sequence.request;
  const std::vector<std::int32_t>& output = sequence.output.tokens;
  if (r.repetitionPenalty != 1.0) {
    const auto penalty = static_cast<float>(r.repetitionPenalty);
    for (const std::int32_t id : sequence.context.tokens) {
      if (counts_[static_cast<std::size_t>(id)]++ != 0) continue;
      logits[id] = logits[id] > 0.0f ? logits[id] / penalty : logits[id] * penalty;
    }
    for (const std::int32_t id : sequence.context.tokens) counts_[static_cast<std::size_t>(id)] = 0;
  }
  if (r.presencePenalty != 0.0 || r.frequencyPenalty != 0.0) {
    for (const std::int32_t id : output) counts_[static_cast<std::size_t>(id)]++;
    for (const std::int32_t id : output) {
      const std::int32_t count = std::exchange(counts_[static_cast<std::size_t>(id)], 0);
      if (count > 0) logits[id] -= static_cast<float>(r.frequencyPenalty * count + r.presencePenalty);
    }
  }
  if (static_cast<Index>(output.size()) < r.minTokens)
    for (const std::int32_t id : r.stop)
      if (id >= 0 && id < vocab_) logits[id] = never;
  return r.temperature == 0.0 ? argmax(logits, vocab_) : -1;
}

Sampled Sampler::greedy(const float* p, std::int32_t best, Sequence& sequence) {
  if (sequence.request.logprobs > 0) {
    order_.resize(static_cast<std::size_t>(vocab_));
    std::iota(order_.begin(), order_.end(), 0);
    report(p, 1.0, sequence);
  }
  return {best, std::log(p[best])};
}

Sampled Sampler::draw(const float* p, Sequence& sequence) {
  const GenerationRequest& request = sequence.request;
  const double u = uniform(request.seed, static_cast<std::uint64_t>(sequence.context.length()));
  if (request.topK == 0 && request.topP >= 1.0 && request.minP == 0.0) {
    if (request.logprobs > 0) {
      order_.resize(static_cast<std::size_t>(vocab_));
      std::iota(order_.begin(), order_.end(), 0);
      report(p, 1.0, sequence);
    }
    return drawAny(p, u);
  }
  keepLikely(p, request);
  double mass = 0.0;
  for (const std::int32_t id : order_) mass += static_cast<double>(p[id]);
  report(p, mass, sequence);
  double sum = 0.0;
  std::int32_t chosen = order_.front();
  for (const std::int32_t id : order_) {
    chosen = id;
    sum += static_cast<double>(p[id]);
    if (u * mass < sum) break;
  }
  return {chosen, static_cast<float>(std::log(static_cast<double>(p[chosen]) / mass))};
}

Sampled Sampler::drawAny(const float* p, double u) const {
  // The probabilities sum to 1 up to rounding, which only the last likely token can notice.
  double sum = 0.0;
  std::int32_t last = 0;
  for (std::int32_t id = 0; id < vocab_; id++) {
    if (p[id] <= nothing) continue;
    last = id;
    sum += static_cast<double>(p[id]);
    if (u < sum) break;
  }
  return {last, std::log(p[last])};
}

/// order_ becomes the ids of probability minP * the highest or more, of these the topK likeliest, of these the smallest
/// set of mass topP.
void Sampler::keepLikely(const float* p, const GenerationRequest& request) {
  const float least = static_cast<float>(request.minP) * *std::max_element(p, p + vocab_);
  order_.clear();
  double mass = 0.0;
  for (std::int32_t id = 0; id < vocab_; id++) {
    if (p[id] < least || p[id] <= nothing) continue;
    order_.push_back(id);
    mass += static_cast<double>(p[id]);
  }
  if (request.topK > 0 && static_cast<std::size_t>(request.topK) < order_.size()) {
    const auto count = static_cast<std::size_t>(request.topK);
    sortLikeliest(p, count);
    order_.resize(count);
    mass = 0.0;
    for (const std::int32_t id : order_) mass += static_cast<double>(p[id]);
  }
  // A nucleus is mostly small: sort a few, and more of them only while their mass does not suffice.
  double sum = 0.0;
  std::size_t kept = 0, sorted = 0;
  const bool all = request.topP >= 1.0;
  while (kept < order_.size() && (all || sum < request.topP * mass)) {
    if (kept == sorted) {
      const std::size_t more = all ? order_.size() : std::min(order_.size(), std::max<std::size_t>(64, 4 * sorted));
      sortLikeliest(p, more, sorted);
      sorted = more;
    }
    sum += static_cast<double>(p[order_[kept++]]);
  }
  order_.resize(std::max<std::size_t>(kept, 1));
}

/// Brings places [from, count) of order_ into their order; those before are in theirs already.
void Sampler::sortLikeliest(const float* p, std::size_t count, std::size_t from) {
  const auto likelier = [p](std::int32_t a, std::int32_t b) { return p[a] != p[b] ? p[a] > p[b] : a < b; };
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::partial_sort(at(from), at(count), order_.end(), likelier);
}

/// Adds the likeliest of order_, of probability p / mass, to the output.
void Sampler::report(const float* p, double mass, Sequence& sequence) {
  const auto wanted = static_cast<std::size_t>(sequence.request.logprobs);
  if (wanted == 0) return;
  const std::size_t count = std::min(wanted, order_.size());
  sortLikeliest(p, count);
  for (std::size_t i = 0; i < wanted; i++) {
    const bool drawn = i < count && p[order_[i]] > nothing;
    sequence.output.topTokens.push_back(drawn ? order_[i] : -1);
    sequence.output.topLogprobs.push_back(
        drawn ? static_cast<float>(std::log(static_cast<double>(p[order_[i]]) / mass)) : never);
  }
}

}  // namespace actors
