#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/backend.h"

namespace actors::test {

/// One backend held against the CPU's.
class Comparison {
 public:
  /// `tolerance`: of the relative L2 distance of every array that a call may have written.
  Comparison(Backend& backend, double tolerance);

  using Arrays = std::vector<std::vector<float>>;
  using Body = std::function<void(Backend&, const std::vector<float*>&)>;
  /// Runs `body` on copies of the arrays in either backend's memory, and compares what they hold then.
  void operator()(const std::string& what, const Arrays& arrays, const Body& body);
  void value(const std::string& what, double got, double wanted);

  Backend& backend() { return backend_; }
  Backend& cpu() { return *cpu_; }
  double worst() const { return worst_; }
  /// What differed by more than the tolerance.
  const std::vector<std::string>& differences() const { return differences_; }

 private:
  void note(const std::string& what, double distance);

  Backend& backend_;
  std::unique_ptr<Backend> cpu_;
  double tolerance_, worst_ = 0.0;
  std::vector<std::string> differences_;
};

/// Every operation of a backend, with shapes drawn from `seed`: ragged lengths, odd sizes, sizes around a tile's.
void compareOperations(Comparison& compare, std::uint64_t seed);

/// Attention alone, of heads that tensor cores take.
void compareAttention(Comparison& compare, std::uint64_t seed);

/// Two training steps of a small model, through Transformer and OutputHead: log-probabilities, gradients, weights.
void compareTraining(Comparison& compare, const ModelConfig& config, std::uint64_t seed);

}  // namespace actors::test
