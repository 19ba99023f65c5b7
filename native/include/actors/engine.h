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

/// One generation. Sampling settings mean what vLLM means by them, and apply in its order: tokens that may not come yet
/// (minTokens), penalties, temperature, minP, topK, topP. The defaults of all but temperature change nothing.
struct GenerationRequest {
  std::vector<std::int32_t> tokens;  ///< the prompt, at least one token
  Index maxTokens = 1;
  double temperature = 1.0;  ///< 0 decodes greedily: then minP, topK and topP mean nothing
  Index topK = 0;            ///< 0: the whole vocabulary
  double topP = 1.0;
  double minP = 0.0;               ///< drops tokens less likely than this share of the likeliest one's probability
  double repetitionPenalty = 1.0;  ///< divides positive and multiplies negative logits of tokens in prompt and output
  double presencePenalty = 0.0;    ///< subtracted from the logits of tokens in the output
  double frequencyPenalty = 0.0;   ///< subtracted once for each time they occur
  Index minTokens = 0;             ///< neither stop tokens nor stop strings end what is shorter
  Index logprobs = 0;              ///< how many of the likeliest tokens are reported beside each that was drawn
  std::vector<std::int32_t> stop;  ///< generation ends with the first of these, which stays in the output
  std::vector<std::string> stopStrings;  ///< or with the token that completes one of these; needs a vocabulary
  std::uint64_t seed = 0;
  std::string session;  ///< empty: none
};

enum class Finish { Stop, Length, Abort };

struct Generation {
  std::int64_t id = 0;
  std::vector<std::int32_t> tokens;  ///< generated ones only
  /// Of each token under the distribution it was drawn from, after all of the above, renormalised. Greedy: under the
  /// untempered softmax, after penalties.
  std::vector<float> logprobs;
  std::vector<std::int32_t> versions;  ///< of the weights that sampled each token
  /// [tokens, request.logprobs], likeliest first; token -1 of log-probability -inf where fewer could be drawn.
  std::vector<std::int32_t> topTokens;
  std::vector<float> topLogprobs;
  Finish finish = Finish::Length;
  std::string stopString;  ///< the one that ended it, if one did
};

enum class PauseMode {
  Keep,   ///< stand still; requests go on after resume()
  Wait,   ///< finish what runs, begin nothing
  Abort,  ///< end every request with what it has so far
};

/// What becomes of cached keys and values when the weights change.
enum class KvPolicy {
  Recompute,  ///< every log-probability is exact for the version that sampled it
  Keep,       ///< sequences go on from the older weights' cache (Piche et al. 2025, "PipelineRL"): no pause, not exact
};

struct EngineStats {
  Index active = 0;    ///< requests submitted and not yet returned or aborted
  Index running = 0;   ///< of these, decoding
  Index computed = 0;  ///< tokens that went through the model so far
  Index reused = 0;    ///< tokens whose keys and values were taken over from another sequence or an earlier turn
};

class EngineWeights;
class KvCache;
class ModelRunner;
class Sampler;
struct Sequence;
struct Step;

/// Batched generation with a paged key-value cache and continuous batching. Every step runs one row for each decoding
/// sequence plus prompt rows up to a budget through the same row-independent arithmetic, so a sequence's tokens and
/// log-probabilities depend only on (weights, prompt, seed), never on its neighbours, on how work was cut or on what
/// it shares with others.
///
/// run() belongs to one thread; every other call may come from any thread at any time.
class Engine {
 public:
  Engine(const ModelConfig& config, Index maxSequences, int threads);
  ~Engine();

  /// Reads a published file; takes effect before the next decode step, also of sequences in flight.
  void loadWeights(const std::string& path, std::int32_t version, KvPolicy kv = KvPolicy::Recompute);

  /// The text of every token, as bytes: what stop strings are looked for in.
  void setVocabulary(std::vector<std::string> bytes);

  /// Queues a request and returns its id. Requests beyond maxSequences wait in order.
  std::int64_t submit(GenerationRequest request);

  /// Runs up to maxSteps decode steps; returns early with whatever finished in the last one. Empty when nothing did.
  std::vector<Generation> run(Index maxSteps, const Cancel& cancel = {});

  /// Takes effect before the next decode step; requests submitted meanwhile wait. `clearCache` frees what finished
  /// sequences left in the cache, and has those in flight recompute theirs.
  void pause(PauseMode mode, bool clearCache);
  void resume();

  /// Drops a request; it never finishes. Unknown ids are ignored.
  void abort(std::int64_t id);
  /// Frees a session's cache. Unknown sessions are ignored.
  void release(const std::string& session);
  EngineStats stats() const;

 private:
  bool takeOrders();
  void letGo(const std::string& session);
  void adopt(std::unique_ptr<EngineWeights> weights, KvPolicy kv);
  void forgetCache();
  void admit();
  void step(const Cancel& cancel);
  void sample(const Step& step, float* logits);
  void finish(Sequence& sequence);
  void drop(std::int64_t id);
  void abortOlder(std::int64_t id);

  ModelConfig config_;
  ParameterLayout layout_;
  Index maxSequences_, maxRows_;
  std::unique_ptr<ModelRunner> runner_;

  // Owned by the thread in run().
  std::vector<std::unique_ptr<Sequence>> running_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<Sampler> sampler_;
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
  KvPolicy pendingKv_ = KvPolicy::Recompute;
  std::shared_ptr<const std::vector<std::string>> vocabulary_;
  bool paused_ = false, clearCache_ = false;
  std::int64_t abortBefore_ = 0;  ///< requests of lower ids are to end
  PauseMode pauseMode_ = PauseMode::Keep;
  EngineStats stats_;
  std::int64_t nextId_ = 1;
  std::mutex loading_;
};

}  // namespace actors
