#include "sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "actors/random.h"

namespace actors {

namespace {

/// Ids of the `topK` most likely tokens cut to the smallest set of mass topP, likeliest first.
void keepLikely(const float* p, Index vocab, const GenerationRequest& request, std::vector<std::int32_t>& order) {
  order.resize(static_cast<std::size_t>(vocab));
  std::iota(order.begin(), order.end(), 0);
  const auto likelier = [p](std::int32_t a, std::int32_t b) { return p[a] != p[b] ? p[a] > p[b] : a < b; };
  const Index keep = request.topK > 0 ? std::min(request.topK, vocab) : vocab;
  std::partial_sort(order.begin(), order.begin() + keep, order.end(), likelier);
  order.resize(static_cast<std::size_t>(keep));
  if (request.topP >= 1.0) return;
  double mass = 0.0;
  for (const std::int32_t id : order) mass += static_cast<double>(p[id]);
  double sum = 0.0;
  std::size_t kept = 0;
  while (kept < order.size() && sum < request.topP * mass) sum += static_cast<double>(p[order[kept++]]);
  order.resize(std::max<std::size_t>(kept, 1));
}

}  // namespace

std::int32_t greedyToken(const float* logits, Index vocab) {
  return static_cast<std::int32_t>(std::max_element(logits, logits + vocab) - logits);
}

Sampled drawToken(const float* p, Index vocab, const GenerationRequest& request, std::uint64_t position,
                  std::vector<std::int32_t>& order) {
  const double draw = uniform(request.seed, position);
  if (request.topK == 0 && request.topP >= 1.0) {
    // The probabilities sum to 1 up to rounding, which only the last likely token can notice.
    double sum = 0.0;
    std::int32_t last = 0;
    for (std::int32_t id = 0; id < vocab; id++) {
      if (p[id] <= 0.0f) continue;
      last = id;
      sum += static_cast<double>(p[id]);
      if (draw < sum) break;
    }
    return {last, std::log(p[last])};
  }
  keepLikely(p, vocab, request, order);
  double mass = 0.0;
  for (const std::int32_t id : order) mass += static_cast<double>(p[id]);
  double sum = 0.0;
  std::int32_t chosen = order.front();
  for (const std::int32_t id : order) {
    if (p[id] <= 0.0f) break;
    chosen = id;
    sum += static_cast<double>(p[id]);
    if (draw * mass < sum) break;
  }
  return {chosen, static_cast<float>(std::log(static_cast<double>(p[chosen]) / mass))};
}

}  // namespace actors
