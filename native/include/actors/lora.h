#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/backend.h"
#include "actors/memory.h"
#include "actors/model.h"

namespace actors {

/// Low-rank adaptation (Hu et al. 2106.09685): each target matrix is W + alpha / rank * B A, and only A [rank, in] and
/// B [out, rank] learn. A starts random, B at 0.
struct LoraOptions {
  Index rank = 0;  ///< 0: every parameter learns
  double alpha = 16.0;
  std::vector<std::string> targets;  ///< names of projections, such as q_proj

  /// Throws InvalidArgument.
  void validate() const;
};

/// The adapters of a model. Forward and backward passes see merged matrices; the gradient of a merged matrix gives those
/// of its adapter exactly, so nothing else of the model knows of them.
class LoraAdapters {
 public:
  LoraAdapters(Backend& backend, const ParameterLayout& layout, const LoraOptions& options, std::uint64_t seed);

  const LoraOptions& options() const { return options_; }
  /// A and B of each target, by the names that PEFT gives them, in one flat buffer.
  const std::vector<Parameter>& all() const { return parameters_; }
  Index total() const { return total_; }
  float* values() { return values_.data(); }
  float* gradients() { return gradients_.data(); }

  /// The model's weights as they are now, adapters not merged, are what they adapt.
  void adapt(const float* weights);
  /// Writes W + alpha / rank * B A into every target of the model's weights.
  void merge(float* weights);
  /// From the gradients of the merged matrices to those of A and B.
  void project(const float* gradients);

  /// PEFT's folder: adapter_config.json and adapter_model.safetensors.
  void save(const std::string& folder) const;
  /// On an error the adapters are as they were before.
  void load(const std::string& folder);

 private:
  struct Target {
    Index weight, base, a, b, out, in;  ///< offsets: in the model, in base_, in values_
  };
  double scale() const { return options_.alpha / static_cast<double>(options_.rank); }
  Index add(std::string name, Index rows, Index columns);

  Backend& backend_;
  LoraOptions options_;
  std::vector<Target> targets_;
  std::vector<Parameter> parameters_;
  Index total_ = 0;
  Buffer values_, gradients_, base_, scratch_;
};

}  // namespace actors
