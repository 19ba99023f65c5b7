#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "actors/cancel.h"
#include "actors/model.h"

namespace actors {

/// One generation. temperature 0 decodes greedily; topK 0 and topP 1 keep the whole vocabulary.
struct GenerationRequest {
  std::vector<std::int32_t> tokens;  ///< the prompt, at least one token
  Index maxTokens = 1;
  double temperature = 1.0;
  Index topK = 0;
  double topP = 1.0;
  std::vector<std::int32_t> stop;  ///< generation ends with the first of these, which stays in the output
  std::uint64_t seed = 0;
  std::string session;  ///< empty: none
};

struct Generation {
  std::int64_t id = 0;
  std::vector<std::int32_t> tokens;  ///< generated ones only
  std::vector<float> logprobs;  ///< of each token under the distribution it was drawn from (greedy: the untempered)
  std::vector<std::int32_t> versions;  ///< of the weights that sampled each token
  bool stopped = false;                ///< by a stop token, else by length
};

class EngineWeights;
class KvCache;
class ModelRunner;
struct Sequence;
struct Step;

/// Batched generation with a paged key-value cache and continuous batching. Every step runs one row for each decoding
/// sequence plus prompt rows up to a budget through the same row-independent arithmetic, so a sequence's tokens and
/// log-probabilities depend only on (weights, prompt, seed), never on its neighbours or on how work was cut.
///
/// run() belongs to one thread; every other call may come from any thread at any time.
class Engine {
 public:
  Engine(const ModelConfig& config, Index maxSequences, int threads);
  ~Engine();

  /// Reads a published file; takes effect before the next decode step. Sequences in flight go on under the new weights
  /// with their cache recomputed, so each token's log-probability is exact for the version that sampled it.
  void loadWeights(const std::string& path, std::int32_t version);

  /// Queues a request and returns its id. Requests beyond maxSequences wait in order.
  std::int64_t submit(GenerationRequest request);

  /// Runs up to maxSteps decode steps; returns early with whatever finished in the last one. Empty when nothing did.
  std::vector<Generation> run(Index maxSteps, const Cancel& cancel = {});

  /// Drops a request; it never finishes. Unknown ids are ignored.
  void abort(std::int64_t id);
  /// Frees a session's cache. Unknown sessions are ignored.
  void release(const std::string& session);
  /// Requests submitted and not yet returned or aborted.
  Index active() const;

 private:
  void takeOrders();
  void adopt(std::unique_ptr<EngineWeights> weights);
  void admit();
  void step(const Cancel& cancel);
  void sample(const Step& step, float* logits);
  void finish(Sequence& sequence, bool stopped);
  void drop(std::int64_t id);

  ModelConfig config_;
  ParameterLayout layout_;
  Index maxSequences_, maxRows_;
  std::unique_ptr<ModelRunner> runner_;

  // Owned by the thread in run().
  std::vector<std::unique_ptr<Sequence>> running_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<EngineWeights> weights_;

  // Orders from other threads, taken over between steps.
  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<Sequence>> waiting_;
  std::vector<Generation> finished_;
  std::vector<std::int64_t> aborted_;
  std::vector<std::string> released_;
  std::set<std::int64_t> live_;
  std::set<std::string> busySessions_;
  std::unique_ptr<EngineWeights> pending_, spare_;
  std::int64_t nextId_ = 1;
  std::mutex loading_;
};

}  // namespace actors
