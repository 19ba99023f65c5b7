#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/backend.h"
#include "actors/cancel.h"
#include "actors/collective.h"
#include "actors/memory.h"
#include "actors/model.h"
#include "actors/model_folder.h"
#include "actors/transformer.h"

namespace actors {

/// Packed variable-length sequences. The four arrays over positions are as long as tokens (rolloutLogp may be empty).
/// Position i with lossMask 1 means: log p(tokens[i] | tokens before it in its sequence) enters the loss.
struct Batch {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> starts;  ///< B + 1 bounds
  std::vector<std::uint8_t> lossMask;
  std::vector<float> advantages, oldLogp, rolloutLogp;
};

struct LossSpec {
  enum class Kind { Policy, CrossEntropy };
  Kind kind = Kind::CrossEntropy;
  double clipLow = 0.2, clipHigh = 0.2, entropyCoef = 0.0;
  double tisCap = 0.0;      ///< > 0: truncated importance weights min(exp(old - rollout), cap); needs rolloutLogp
  double balanceCoef = 0.0;  ///< mixture of experts: of each sequence's balance (transformer.h) times its masked tokens
  double normalizer = 1.0;   ///< the loss is a sum over masked tokens divided by this
};

struct LossStats {
  double loss = 0.0;          ///< this batch's share: sum over masked tokens / normalizer, entropy and balance included
  double entropy = 0.0;       ///< mean over masked tokens, nats
  double clipFraction = 0.0;  ///< of masked tokens where the clipped term decided
  double ratioMax = 0.0;
  double tokens = 0.0;  ///< masked tokens
  double balance = 0.0;  ///< mean over masked tokens of their sequence's expert balance, 0 unless balanceCoef is set
  double klOld = 0.0;   ///< mean k3 estimate of KL(old || new), Schulman 2020
};

struct StepResult {
  double gradNorm = 0.0;
  bool skipped = false;
  std::string reason;  ///< why it was skipped
};

/// A model being trained: weights, gradients and AdamW moments in flat fp32 buffers. Not thread safe; the addon gives
/// each learner one thread of its own.
class Learner {
 public:
  /// Fresh weights drawn from `seed`; the same seed gives the same weights everywhere.
  Learner(const ModelConfig& config, std::uint64_t seed, int threads);

  /// From a Hugging Face folder: config.json and model.safetensors, or its shards and their index.
  static std::unique_ptr<Learner> load(const std::string& folder, int threads);

  const ModelConfig& config() const { return config_; }
  const ParameterLayout& layout() const { return layout_; }
  float* parameters() { return weights_.data(); }
  float* gradients() { return gradients_.data(); }
  std::int64_t steps() const { return steps_; }

  /// Adds the gradient of the loss to the gradients. Cut as you like: calls add up to the same gradient, to rounding.
  /// A call that throws drops every gradient accumulated so far.
  LossStats forwardBackward(const Batch& batch, const LossSpec& loss, const Cancel& cancel = {});

  /// log p(tokens[i] | prefix) and the entropy of that distribution for every position; 0 at each sequence's first.
  void logprobs(const Batch& batch, float* logp, float* entropy, const Cancel& cancel = {});

  /// The logits [tokens, vocabSize] after each token of one sequence.
  std::vector<float> logits(const std::vector<std::int32_t>& tokens, const Cancel& cancel = {});

  /// Sums gradients over the ranks of a collective, in rank order.
  void allReduceGradients(Collective& collective, const Cancel& cancel = {});

  /// Clips by global norm, takes one AdamW step and zeroes the gradients. Norm weights are not decayed. A non-finite
  /// gradient changes nothing but the gradients, and says where it was.
  StepResult optimStep(const AdamwOptions& options);

  /// Weights alone, for engines; not synced to the device.
  WrittenFile publish(const std::string& path);
  /// Weights, moments and step count; loadState gives back the same bits.
  void saveState(const std::string& path);
  void loadState(const std::string& path);
  /// A Hugging Face folder that transformers loads.
  void save(const std::string& folder, const FolderOptions& options = {});

 private:
  struct Unset {};
  Learner(const ModelConfig& config, int threads, Unset);

  void validate(const Batch& batch, bool training) const;
  template <class Visit>
  void forEachChunk(const Batch& batch, const Cancel& cancel, Visit visit);
  void lossGradient(const Batch& batch, const LossSpec& loss, Index position, float logp, float entropy, float& gLogp,
                    float& gEntropy, LossStats& sums) const;
  void balanceLoss(const Batch& batch, Index first, const Sequences& sequences, const LossSpec& loss, LossStats& sums);
  void headPass(const Batch& batch, Index first, const std::vector<std::int32_t>& rows, const LossSpec* loss,
                LossStats* sums, float* logp, float* entropy);

  ModelConfig config_;
  ParameterLayout layout_;
  ModelOffsets offsets_;
  std::unique_ptr<Backend> backend_;
  Buffer weights_, gradients_, first_, second_;
  Buffer head_;  ///< workspace of headPass
  std::int64_t steps_ = 0;
  Transformer transformer_;
};

}  // namespace actors
