#include "actors/experts.h"

namespace actors {

namespace {

Index slotsOf(const Routing& routing) { return static_cast<Index>(routing.rows.size()); }

/// visit(expert, first slot, slots) for every expert that has some.
template <class Visit>
void forEachExpert(const Routing& routing, Visit visit) {
  for (std::size_t e = 0; e + 1 < routing.starts.size(); e++) {
    const Index first = routing.starts[e], count = routing.starts[e + 1] - first;
    if (count > 0) visit(e, first, count);
  }
}

}  // namespace

void Routing::group(Index experts, Index active) {
  starts.assign(static_cast<std::size_t>(experts) + 1, 0);
  for (const std::int32_t e : chosen) starts[static_cast<std::size_t>(e) + 1]++;
  for (std::size_t e = 1; e < starts.size(); e++) starts[e] += starts[e - 1];
  std::vector<Index> next(starts.begin(), starts.end() - 1);
  rows.resize(chosen.size());
  places.resize(chosen.size());
  for (std::size_t place = 0; place < chosen.size(); place++) {
    const auto slot = static_cast<std::size_t>(next[static_cast<std::size_t>(chosen[place])]++);
    rows[slot] = static_cast<std::int32_t>(place / static_cast<std::size_t>(active));
    places[slot] = static_cast<std::int32_t>(place);
  }
}

ExpertMlp::ExpertMlp(Backend& backend, const ModelConfig& config)
    : backend_(backend), dim_(config.dim), experts_(config.experts), memory_(backend.memory()) {}

void ExpertMlp::forward(const float* x, Index rows, const ExpertWeights& weights, Saved& saved, float* out) {
  const Index ffn = experts_.ffnDim;
  Routing& routing = saved.routing;
  routing.chosen.resize(static_cast<std::size_t>(rows * experts_.active));
  backend_.linear(x, rows, weights.router, saved.probabilities, false);
  backend_.route(saved.probabilities, rows, experts_, routing.chosen.data(), saved.weights);
  routing.group(experts_.count, experts_.active);

  const Index slots = slotsOf(routing);
  float* gathered = memory_.reserve(slots * (2 * dim_ + ffn + 1));
  float *y = gathered + slots * dim_, *act = y + slots * dim_, *shares = act + slots * ffn;
  backend_.gather(x, routing.rows.data(), slots, dim_, gathered);
  backend_.gather(saved.weights, routing.places.data(), slots, 1, shares);
  forEachExpert(routing, [&](std::size_t e, Index first, Index count) {
    backend_.linear(gathered + first * dim_, count, weights.gateUp[e], saved.gateUp + first * 2 * ffn, false);
  });
  if (out == nullptr) return;
  backend_.swiglu(saved.gateUp, slots, ffn, act);
  backend_.scaleRows(act, shares, slots, ffn);
  forEachExpert(routing, [&](std::size_t e, Index first, Index count) {
    backend_.linear(act + first * ffn, count, weights.down[e], y + first * dim_, false);
  });
  backend_.scatterAdd(y, routing.rows.data(), slots, dim_, out);
}

void ExpertMlp::backward(const float* dOut, const float* x, const Sequences& sequences, const ExpertWeights& weights,
                         const Saved& saved, const float* balance, const ExpertGradients& gradients, float* dX) {
  const Index ffn = experts_.ffnDim, rows = sequences.tokens;
  const Routing& routing = saved.routing;
  const Index slots = slotsOf(routing);
  float* gathered = memory_.reserve(slots * (2 * dim_ + 4 * ffn + 3) + rows * experts_.count);
  float *dY = gathered + slots * dim_, *act = dY + slots * dim_, *dAct = act + slots * ffn;
  float *dGateUp = dAct + slots * ffn, *shares = dGateUp + slots * 2 * ffn, *dShares = shares + slots;
  float *dWeights = dShares + slots, *dLogits = dWeights + slots;

  backend_.gather(x, routing.rows.data(), slots, dim_, gathered);
  backend_.gather(dOut, routing.rows.data(), slots, dim_, dY);
  backend_.gather(saved.weights, routing.places.data(), slots, 1, shares);
  backend_.swiglu(saved.gateUp, slots, ffn, act);
  forEachExpert(routing, [&](std::size_t e, Index first, Index count) {
    backend_.linearBackwardInput(dY + first * dim_, count, weights.down[e], dAct + first * ffn, false);
  });
  // A slot's output is share * (act . down^T), so dAct, before it is scaled, also gives the share's own gradient.
  backend_.rowDots(dAct, act, slots, ffn, dShares);
  backend_.scaleRows(act, shares, slots, ffn);
  backend_.scaleRows(dAct, shares, slots, ffn);
  backend_.swigluBackward(saved.gateUp, dAct, slots, ffn, dGateUp);
  forEachExpert(routing, [&](std::size_t e, Index first, Index count) {
    const Index at = static_cast<Index>(e) * gradients.stride;
    backend_.linearBackwardWeight(dY + first * dim_, act + first * ffn, count, dim_, ffn, gradients.down + at);
    backend_.linearBackwardWeight(dGateUp + first * 2 * ffn, gathered + first * dim_, count, 2 * ffn, dim_,
                                  gradients.gateUp + at);
    backend_.linearBackwardInput(dGateUp + first * 2 * ffn, count, weights.gateUp[e], dY + first * dim_, false);
  });
  backend_.zero(dX, rows * dim_);
  backend_.scatterAdd(dY, routing.rows.data(), slots, dim_, dX);

  backend_.zero(dWeights, slots);
  backend_.scatterAdd(dShares, routing.places.data(), slots, 1, dWeights);
  backend_.routeBackward(saved.probabilities, routing.chosen.data(), dWeights, balance, sequences, experts_, dLogits);
  backend_.linearBackwardWeight(dLogits, x, rows, experts_.count, dim_, gradients.router);
  backend_.linearBackwardInput(dLogits, rows, weights.router, dX, true);
}

}  // namespace actors
