#include "actors/engine.h"

#include <algorithm>
#include <cmath>

#include "engine_weights.h"
#include "kv_cache.h"
#include "model_runner.h"
#include "request.h"
#include "sampler.h"
#include "scheduler.h"

namespace actors {

namespace {

/// Prompt rows of one step: enough to fill the multiplications, few enough not to hold up decoding.
constexpr Index rowBudget = 512;

int checkedThreads(int threads) {
  require(threads >= 1 && threads <= 1024,
          "engine: threads must be between 1 and 1024, got " + std::to_string(threads));
  return threads;
}

}  // namespace

Engine::Engine(const ModelConfig& config, Index maxSequences, int threads)
    : config_((config.validate(), config)),
      layout_(config),
      maxSequences_(maxSequences),
      maxRows_(std::max(rowBudget, maxSequences)) {
  require(!config.valueHead, "engine: a model with a value head generates nothing");
  require(maxSequences >= 1 && maxSequences <= 1 << 16,
          "engine: maxSequences must be between 1 and 65536, got " + std::to_string(maxSequences));
  runner_ = std::make_unique<ModelRunner>(config, checkedThreads(threads), maxRows_, maxSequences);
  const Index tokens = runner_->backend().pageTokens();
  cache_ = std::make_unique<KvCache>(runner_->pageFloats(), tokens,
                                     maxSequences * ((config.maxSeqLen + tokens - 1) / tokens));
  sampler_ = std::make_unique<Sampler>(config.vocabSize);
}

Engine::~Engine() = default;

void Engine::loadWeights(const std::string& path, std::int32_t version, KvPolicy kv) {
  const std::lock_guard<std::mutex> oneAtATime(loading_);
  SafetensorsFile file(path);
  file.populate();
  file.verify();
  std::unique_ptr<EngineWeights> fresh;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    fresh = std::move(spare_);
  }
  if (fresh == nullptr) fresh = std::make_unique<EngineWeights>(runner_->backend(), config_);
  fresh->load(file, layout_, version);
  const std::lock_guard<std::mutex> lock(mutex_);
  // Of two versions loaded between two steps the second counts, with the stricter of their policies.
  const bool recompute = pending_ != nullptr && pendingKv_ == KvPolicy::Recompute;
  if (pending_ != nullptr) spare_ = std::move(pending_);
  pending_ = std::move(fresh);
  pendingKv_ = recompute ? KvPolicy::Recompute : kv;
}

void Engine::setVocabulary(std::vector<std::string> bytes) {
  require(static_cast<Index>(bytes.size()) <= config_.vocabSize,
          "the vocabulary has " + std::to_string(bytes.size()) + " tokens, the model " +
              std::to_string(config_.vocabSize));
  bytes.resize(static_cast<std::size_t>(config_.vocabSize));  // models pad their tables
  auto vocabulary = std::make_shared<const std::vector<std::string>>(std::move(bytes));
  const std::lock_guard<std::mutex> lock(mutex_);
  vocabulary_ = std::move(vocabulary);
}

std::int64_t Engine::submit(GenerationRequest request) {
  checkRequest(request, config_);
  auto sequence = std::make_unique<Sequence>();
  sequence->context.tokens = request.tokens;
  sequence->request = std::move(request);
  const std::string& session = sequence->request.session;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!sequence->request.stopStrings.empty()) {
    require(vocabulary_ != nullptr, "submit: stop strings need the texts of the tokens; call setVocabulary first");
    sequence->vocabulary = vocabulary_;
  }
  require(session.empty() || busySessions_.insert(session).second,
          "submit: session " + session + " is still generating its previous turn");
  sequence->id = sequence->output.id = nextId_++;
  live_.insert(sequence->id);
  waiting_.push_back(std::move(sequence));
  return waiting_.back()->id;
}

void Engine::abort(std::int64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (live_.erase(id) != 0) aborted_.push_back(id);
}

void Engine::release(const std::string& session) {
  const std::lock_guard<std::mutex> lock(mutex_);
  released_.push_back(session);
}

EngineStats Engine::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  EngineStats stats = stats_;
  stats.active = static_cast<Index>(live_.size());
  return stats;
}

void Engine::pause(PauseMode mode, bool clearCache) {
  const std::lock_guard<std::mutex> lock(mutex_);
  paused_ = true;
  pauseMode_ = mode;
  if (mode == PauseMode::Abort) abortBefore_ = nextId_;
  clearCache_ |= clearCache;
}

void Engine::resume() {
  const std::lock_guard<std::mutex> lock(mutex_);
  paused_ = false;
}

std::vector<Generation> Engine::run(Index maxSteps, const Cancel& cancel) {
  require(maxSteps >= 1, "run: maxSteps must be at least 1");
  for (Index i = 0; i < maxSteps && takeOrders(); i++) {
    cancel.check();
    if (weights_ == nullptr) throw Error(ErrorCode::NotReady, "the engine has no weights yet; call loadWeights first");
    step(cancel);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  stats_.running = static_cast<Index>(running_.size());
  std::erase_if(finished_, [&](const Generation& done) { return live_.erase(done.id) == 0; });
  return std::exchange(finished_, {});
}

/// Takes over what other threads asked for since the last step. Returns whether there is a next one.
bool Engine::takeOrders() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::int64_t id : aborted_) drop(id);
  aborted_.clear();
  for (const std::string& session : released_) letGo(session);
  released_.clear();
  abortOlder(std::exchange(abortBefore_, 0));
  if (std::exchange(clearCache_, false)) forgetCache();
  if (pending_ != nullptr) adopt(std::move(pending_), pendingKv_);
  if (!paused_) admit();
  stats_.running = static_cast<Index>(running_.size());
  return !running_.empty() && finished_.empty() && !(paused_ && pauseMode_ == PauseMode::Keep);
}

void Engine::letGo(const std::string& session) {
  cache_->release(session);
  // A turn still in flight goes on, but leaves nothing behind.
  if (busySessions_.erase(session) == 0) return;
  for (const auto& sequence : running_)
    if (sequence->request.session == session) sequence->request.session.clear();
  for (const auto& sequence : waiting_)
    if (sequence->request.session == session) sequence->request.session.clear();
}

void Engine::adopt(std::unique_ptr<EngineWeights> weights, KvPolicy kv) {
  const bool changed = weights_ == nullptr || weights_->version() != weights->version();
  spare_ = std::move(weights_);
  weights_ = std::move(weights);
  if (changed && kv == KvPolicy::Recompute) forgetCache();
}

/// Those in flight begin again with all their tokens.
void Engine::forgetCache() {
  for (const auto& sequence : running_) cache_->drop(sequence->context);
  cache_->releaseAll();
}

void Engine::admit() {
  while (!waiting_.empty() && static_cast<Index>(running_.size()) < maxSequences_) {
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

/// Ends requests of lower ids with what they have. Called with the lock held.
void Engine::abortOlder(std::int64_t id) {
  const auto end = [&](const std::unique_ptr<Sequence>& sequence) {
    if (sequence->id >= id) return false;
    sequence->output.finish = Finish::Abort;
    finish(*sequence);
    return true;
  };
  std::erase_if(running_, end);
  std::erase_if(waiting_, end);
}

/// Removes an aborted request wherever it is. Called with the lock held.
void Engine::drop(std::int64_t id) {
  const auto matches = [id](const std::unique_ptr<Sequence>& sequence) { return sequence->id == id; };
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), matches);
  if (waiting != waiting_.end()) {
    busySessions_.erase((*waiting)->request.session);
    waiting_.erase(waiting);
  }
  const auto running = std::find_if(running_.begin(), running_.end(), matches);
  if (running != running_.end()) {
    busySessions_.erase((*running)->request.session);
    cache_->drop((*running)->context);
    running_.erase(running);
  }
}

void Engine::step(const Cancel& cancel) {
  const Step step = schedule(running_, *cache_, weights_->version(), maxRows_);
  float* logits = runner_->forward(*weights_, step, cancel);
  for (const auto& [sequence, count] : step.fed) sequence->context.cached += count;
  sample(step, logits);
  const std::lock_guard<std::mutex> lock(mutex_);
  stats_.computed += static_cast<Index>(step.rows.size());
  stats_.reused += step.reused;
  for (const auto& sequence : running_)
    if (sequence->done) finish(*sequence);
  std::erase_if(running_, [](const auto& sequence) { return sequence->done; });
  if (waiting_.empty()) cache_->release("");
}

void Engine::sample(const Step& step, float* logits) {
  const auto logitsOf = [&](std::size_t i) { return logits + static_cast<Index>(i) * config_.vocabSize; };
  std::vector<std::int32_t> best(step.sampled.size());
  for (std::size_t i = 0; i < step.sampled.size(); i++) {
    const double temperature = step.sampled[i]->request.temperature;
    const double scale = temperature == 0.0 ? 1.0 : 1.0 / temperature;
    best[i] = sampler_->prepare(logitsOf(i), *step.sampled[i]);
    if (std::isfinite(runner_->backend().softmax(logitsOf(i), config_.vocabSize, scale))) continue;
    // Nothing was sampled: feed the last token again.
    for (Sequence* sequence : step.sampled) sequence->context.cached--;
    throw Error(ErrorCode::CorruptFile, "weights version " + std::to_string(weights_->version()) +
                                            " give logits that are not finite; load other weights");
  }
  for (std::size_t i = 0; i < step.sampled.size(); i++) {
    Sequence& sequence = *step.sampled[i];
    const Sampled chosen = sequence.request.temperature == 0.0 ? sampler_->greedy(logitsOf(i), best[i], sequence)
                                                               : sampler_->draw(logitsOf(i), sequence);
    sequence.context.tokens.push_back(chosen.token);
    sequence.output.tokens.push_back(chosen.token);
    sequence.output.logprobs.push_back(chosen.logprob);
    sequence.output.versions.push_back(weights_->version());
    sequence.done = ended(sequence, config_.maxSeqLen);
  }
}

/// Hands over the output and leaves the cache to those that begin alike, if there may be any. Called with the lock
/// held.
void Engine::finish(Sequence& sequence) {
  const std::string& session = sequence.request.session;
  const bool useful = sequence.context.begun() && (!session.empty() || !waiting_.empty());
  busySessions_.erase(session);
  if (useful) cache_->keep(session, std::move(sequence.context));
  else cache_->drop(sequence.context);
  finished_.push_back(std::move(sequence.output));
}

}  // namespace actors
