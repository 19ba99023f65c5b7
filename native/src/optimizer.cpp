#include <algorithm>
#include <cmath>
#include <cstring>

#include "actors/json.h"
#include "actors/learner.h"

namespace actors {

void Learner::shard(Index rank, Index world) {
  require(world >= 1 && rank >= 0 && rank < world,
          "shard: rank " + std::to_string(rank) + " is outside a world of " + std::to_string(world));
  rank_ = rank;
  world_ = world;
  resetOptimizer();
}

void Learner::requireOwn(const Collective* ranks, const char* what) const {
  require(ranks == nullptr ? world_ == 1 : ranks->rank() == rank_ && ranks->world() == world_,
          std::string(what) + ": rank " + std::to_string(rank_) + " of " + std::to_string(world_) +
              " needs its own collective");
}

void Learner::adapt(const LoraOptions& options, std::uint64_t seed) {
  require(lora_ == nullptr, "lora: the learner has adapters already");
  auto lora = std::make_unique<LoraAdapters>(*backend_, layout_, options, seed);
  lora->adapt(weights_.data());
  lora_ = std::move(lora);
  resetOptimizer();
}

Learner::Trained Learner::trained() {
  if (lora_) return {lora_->all(), lora_->values(), lora_->gradients(), lora_->total()};
  return {layout_.all(), weights_.data(), gradients_.data(), layout_.total()};
}

void Learner::resetOptimizer() {
  own_ = shardOf(trained().total, rank_, world_);
  first_ = Buffer(own_.size());
  second_ = Buffer(own_.size());
  steps_ = 0;
}

/// visit(parameter's index, first, last) for what lies of each parameter in this rank's shard.
template <class Visit>
void Learner::forEachOwn(Visit visit) {
  const std::vector<Parameter>& all = trained().all;
  for (std::size_t i = 0; i < all.size(); i++) {
    const Index first = std::max(all[i].offset, own_.first), last = std::min(all[i].offset + all[i].size, own_.last);
    if (first < last) visit(i, first, last);
  }
}

/// Of a gradient; `broken` is the index of the first parameter where it is not finite, or -1.
struct Learner::Norm {
  double squares = 0.0;
  std::int64_t broken = -1;
};

Learner::Norm Learner::gradientNorm(Collective* ranks, const Cancel& cancel) {
  const float* gradients = trained().gradients;
  std::vector<Norm> parts(static_cast<std::size_t>(world_));
  Norm& mine = parts[static_cast<std::size_t>(rank_)];
  forEachOwn([&](std::size_t i, Index first, Index last) {
    const double part = backend_->squaredNorm(gradients + first, last - first);
    if (!std::isfinite(part) && mine.broken < 0) mine.broken = static_cast<std::int64_t>(i);
    mine.squares += part;
  });
  if (ranks != nullptr) {
    constexpr Index width = sizeof(Norm) / sizeof(float);
    std::vector<float> carried(parts.size() * static_cast<std::size_t>(width));  // only copied, so any bits will do
    std::memcpy(carried.data(), parts.data(), parts.size() * sizeof(Norm));
    ranks->allGather(carried.data(), static_cast<Index>(carried.size()), cancel);
    std::memcpy(static_cast<void*>(parts.data()), carried.data(), parts.size() * sizeof(Norm));
  }
  Norm total;
  for (const Norm& part : parts) {
    total.squares += part.squares;
    if (total.broken < 0) total.broken = part.broken;
  }
  return total;
}

StepResult Learner::optimStep(const AdamwOptions& options, Collective* ranks, const Cancel& cancel) {
  const auto inUnit = [](double beta) { return beta >= 0.0 && beta < 1.0; };
  require(std::isfinite(options.lr) && options.lr >= 0, "optimStep: lr must be a finite number, not negative");
  require(inUnit(options.beta1) && inUnit(options.beta2), "optimStep: beta1 and beta2 must lie in [0, 1)");
  require(options.eps > 0 && options.weightDecay >= 0 && options.maxGradNorm >= 0,
          "optimStep: eps must be positive; weightDecay and maxGradNorm not negative");
  requireOwn(ranks, "optimStep");
  StepResult result;
  try {
    if (lora_) lora_->project(gradients_.data());
    const Trained t = trained();
    if (ranks != nullptr) ranks->reduceScatter(t.gradients, t.total, cancel);
    const Norm norm = gradientNorm(ranks, cancel);
    result.gradNorm = std::sqrt(norm.squares);
    if (norm.broken >= 0) {
      result.skipped = true;
      result.reason = "the gradient of " + t.all[static_cast<std::size_t>(norm.broken)].name +
                      " is not finite (norm " + shortest(result.gradNorm) + ")";
    } else {
      const bool clip = options.maxGradNorm > 0.0 && result.gradNorm > options.maxGradNorm;
      const double scale = clip ? options.maxGradNorm / (result.gradNorm + 1e-6) : 1.0;
      steps_++;
      forEachOwn([&](std::size_t i, Index first, Index last) {
        const double decay = t.all[i].shape.size() > 1 ? options.weightDecay : 0.0;
        const Index at = first - own_.first;
        backend_->adamw(t.weights + first, t.gradients + first, first_.data() + at, second_.data() + at, last - first,
                        options, steps_, decay, scale);
      });
      if (ranks != nullptr) ranks->allGather(t.weights, t.total, cancel);
      if (lora_) lora_->merge(weights_.data());
    }
  } catch (...) {
    backend_->zero(gradients_.data(), layout_.total());
    throw;
  }
  backend_->zero(gradients_.data(), layout_.total());
  return result;
}

}  // namespace actors
