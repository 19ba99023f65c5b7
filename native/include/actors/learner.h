#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/backend.h"
#include "actors/cancel.h"
#include "actors/collective.h"
#include "actors/head.h"
#include "actors/lora.h"
#include "actors/losses.h"
#include "actors/memory.h"
#include "actors/model.h"
#include "actors/model_folder.h"
#include "actors/transformer.h"

namespace actors {

struct StepResult {
  double gradNorm = 0.0;
  bool skipped = false;
  std::string reason;  ///< why it was skipped
};

/// A model being trained: weights, gradients and AdamW moments in flat fp32 buffers. Not thread safe; the addon gives
/// each learner one thread of its own. Ranks that train one model together each keep all weights and the moments of
/// their shard (ZeRO stage 1, Rajbhandari et al. 1910.02054).
class Learner {
 public:
  /// Fresh weights drawn from `seed`; the same seed gives the same weights everywhere.
  Learner(const ModelConfig& config, std::uint64_t seed, int threads);

  /// From a Hugging Face folder: config.json and model.safetensors, or its shards and their index.
  /// With `valueHead` the folder may hold a language model: its trunk is taken, and a head that says 0.
  static std::unique_ptr<Learner> load(const std::string& folder, int threads, bool valueHead = false);

  /// Computes activations again in the backward pass instead of keeping them all; changes no bit of any result.
  void gradientCheckpointing(bool on) { transformer_.recompute(on); }

  /// This learner is one rank of `world`; the optimizer starts anew. Every optimStep then needs their collective.
  void shard(Index rank, Index world);

  /// From now on adapters learn in place of the model's parameters; the optimizer starts anew.
  void adapt(const LoraOptions& options, std::uint64_t seed);
  /// null before adapt().
  LoraAdapters* adapters() { return lora_.get(); }
  void saveAdapters(const std::string& folder);
  void loadAdapters(const std::string& folder);

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

  /// Of a model with a value head: what is still to come at the moment before each token; 0 at each sequence's first.
  void values(const Batch& batch, float* values, const Cancel& cancel = {});

  /// The logits [tokens, vocabSize] after each token of one sequence.
  std::vector<float> logits(const std::vector<std::int32_t>& tokens, const Cancel& cancel = {});

  /// Sums gradients over the ranks, clips by global norm, takes one AdamW step and zeroes the gradients; every rank then
  /// has the same weights, bit for bit. Norm weights are not decayed. A non-finite gradient changes nothing but the
  /// gradients, and says where it was. A call that throws for a lost rank leaves weights and moments half updated.
  StepResult optimStep(const AdamwOptions& options, Collective* ranks = nullptr, const Cancel& cancel = {});

  /// Weights alone, for engines of this host; not synced to the device. `spare`: a published file that no engine will read
  /// any more, whose place it takes.
  WrittenFile publish(const std::string& path, const std::string& spare = "");
  /// Writes this rank's shard of the trained weights and moments, and the step count.
  void saveState(const std::string& path);
  /// From the shards of every rank of one save, by rank: the same bits on any number of ranks. On an error the learner
  /// is as it was.
  void loadState(const std::vector<std::string>& shards);
  /// From this rank's own shard of a save by as many ranks; weights that others keep come from them. All ranks call it.
  void restoreShard(const std::string& path, Collective* ranks, const Cancel& cancel = {});
  /// A Hugging Face folder that transformers loads.
  void save(const std::string& folder, const FolderOptions& options = {});

 private:
  struct Unset {};
  Learner(const ModelConfig& config, int threads, Unset);

  /// What the optimizer moves.
  struct Trained {
    const std::vector<Parameter>& all;
    float *weights, *gradients;
    Index total;
  };
  Trained trained();
  void resetOptimizer();
  void requireOwn(const Collective* ranks, const char* what) const;
  template <class Visit>
  void forEachOwn(Visit visit);
  struct Norm;
  Norm gradientNorm(Collective* ranks, const Cancel& cancel);
  void validate(const Batch& batch, bool training) const;
  template <class Visit>
  void forEachChunk(const Batch& batch, const Cancel& cancel, Visit visit);
  void predict(const Batch& batch, float* logp, float* entropy, const Cancel& cancel);
  void balanceLoss(const Batch& batch, Index first, const Sequences& sequences, const LossSpec& loss, LossStats& sums);

  ModelConfig config_;
  ParameterLayout layout_;
  ModelOffsets offsets_;
  std::unique_ptr<Backend> backend_;
  Buffer weights_, gradients_;
  std::unique_ptr<LoraAdapters> lora_;
  Index rank_ = 0, world_ = 1;
  Shard own_;              ///< of what the optimizer moves
  Buffer first_, second_;  ///< its moments
  std::int64_t steps_ = 0;
  Transformer transformer_;
  OutputHead head_;
};

}  // namespace actors
