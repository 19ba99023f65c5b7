#include "actors/engine.h"

#include <algorithm>
#include <cmath>

#include "engine_weights.h"
#include "kv_cache.h"
#include "model_runner.h"
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
  require(maxSequences >= 1 && maxSequences <= 1 << 16,
          "engine: maxSequences must be between 1 and 65536, got " + std::to_string(maxSequences));
  runner_ = std::make_unique<ModelRunner>(config, checkedThreads(threads), maxRows_, maxSequences);
  const Index tokens = runner_->backend().pageTokens();
  cache_ = std::make_unique<KvCache>(runner_->pageFloats(), tokens,
                                     maxSequences * ((config.maxSeqLen + tokens - 1) / tokens));
}

Engine::~Engine() = default;

void Engine::loadWeights(const std::string& path, std::int32_t version) {
  const std::lock_guard<std::mutex> oneAtATime(loading_);
  const SafetensorsFile file(path);
  file.verify();
  std::unique_ptr<EngineWeights> fresh;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    fresh = std::move(spare_);
  }
  if (fresh == nullptr) fresh = std::make_unique<EngineWeights>(runner_->backend(), config_);
  fresh->load(file, layout_, version);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (pending_ != nullptr) spare_ = std::move(pending_);
  pending_ = std::move(fresh);
}

std::int64_t Engine::submit(GenerationRequest request) {
  require(!request.tokens.empty(), "submit: the prompt needs at least one token");
  require(static_cast<Index>(request.tokens.size()) < config_.maxSeqLen,
          "submit: the prompt has " + std::to_string(request.tokens.size()) +
              " tokens and leaves no room to generate within maxSeqLen " + std::to_string(config_.maxSeqLen));
  for (const std::int32_t token : request.tokens) {
    require(token >= 0 && token < config_.vocabSize, "submit: token " + std::to_string(token) +
                                                         " is outside the vocabulary of " +
                                                         std::to_string(config_.vocabSize));
  }
  require(request.maxTokens >= 1, "submit: maxTokens must be at least 1");
  require(std::isfinite(request.temperature) && request.temperature >= 0,
          "submit: temperature must be a finite number, not negative");
  require(request.topK >= 0, "submit: topK must not be negative");
  require(request.topP > 0 && request.topP <= 1, "submit: topP must lie in (0, 1]");

  auto sequence = std::make_unique<Sequence>();
  sequence->context.tokens = request.tokens;
  sequence->request = std::move(request);
  const std::string& session = sequence->request.session;
  const std::lock_guard<std::mutex> lock(mutex_);
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

Index Engine::active() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<Index>(live_.size());
}

std::vector<Generation> Engine::run(Index maxSteps, const Cancel& cancel) {
  require(maxSteps >= 1, "run: maxSteps must be at least 1");
  for (Index i = 0; i < maxSteps; i++) {
    takeOrders();
    if (running_.empty() || !finished_.empty()) break;
    cancel.check();
    if (weights_ == nullptr) throw Error(ErrorCode::NotReady, "the engine has no weights yet; call loadWeights first");
    step(cancel);
    if (!finished_.empty()) break;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(finished_, [&](const Generation& done) { return live_.erase(done.id) == 0; });
  return std::exchange(finished_, {});
}

/// Takes over what other threads asked for since the last step.
void Engine::takeOrders() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::int64_t id : aborted_) drop(id);
  aborted_.clear();
  for (const std::string& name : released_) {
    cache_->release(name);
    // A turn still in flight goes on, but leaves nothing behind.
    if (busySessions_.erase(name) == 0) continue;
    for (const auto& sequence : running_)
      if (sequence->request.session == name) sequence->request.session.clear();
    for (const auto& sequence : waiting_)
      if (sequence->request.session == name) sequence->request.session.clear();
  }
  released_.clear();
  if (pending_ != nullptr) adopt(std::move(pending_));
  admit();
}

void Engine::adopt(std::unique_ptr<EngineWeights> weights) {
  const bool changed = weights_ == nullptr || weights_->version() != weights->version();
  spare_ = std::move(weights_);
  weights_ = std::move(weights);
  if (!changed) return;
  for (const auto& sequence : running_) sequence->context.cached = 0;
  cache_->releaseAll();
}

void Engine::admit() {
  while (!waiting_.empty() && static_cast<Index>(running_.size()) < maxSequences_) {
    std::unique_ptr<Sequence> sequence = std::move(waiting_.front());
    waiting_.pop_front();
    if (!sequence->request.session.empty()) cache_->resume(sequence->request.session, sequence->context);
    running_.push_back(std::move(sequence));
  }
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
  const Step step = schedule(running_, *cache_, maxRows_);
  float* logits = runner_->forward(*weights_, step, cancel);
  for (const auto& [sequence, count] : step.fed) sequence->context.cached += count;
  sample(step, logits);
}

void Engine::sample(const Step& step, float* logits) {
  const Index vocab = config_.vocabSize;
  const auto logitsOf = [&](std::size_t i) { return logits + static_cast<Index>(i) * vocab; };
  std::vector<std::int32_t> best(step.sampled.size()), order;
  for (std::size_t i = 0; i < step.sampled.size(); i++) {
    const double temperature = step.sampled[i]->request.temperature;
    if (temperature == 0.0) best[i] = greedyToken(logitsOf(i), vocab);
    if (std::isfinite(runner_->backend().softmax(logitsOf(i), vocab, temperature == 0.0 ? 1.0 : 1.0 / temperature))) continue;
    for (Sequence* sequence : step.sampled) sequence->context.cached--;  // nothing was sampled: feed the last token again
    throw Error(ErrorCode::CorruptFile, "weights version " + std::to_string(weights_->version()) +
                                            " give logits that are not finite; load other weights");
  }
  for (std::size_t i = 0; i < step.sampled.size(); i++) {
    Sequence& sequence = *step.sampled[i];
    const GenerationRequest& request = sequence.request;
    const float* probabilities = logitsOf(i);
    const Sampled chosen = request.temperature == 0.0
                               ? Sampled{best[i], std::log(probabilities[best[i]])}
                               : drawToken(probabilities, vocab, request, sequence.context.tokens.size(), order);

    sequence.context.tokens.push_back(chosen.token);
    sequence.output.tokens.push_back(chosen.token);
    sequence.output.logprobs.push_back(chosen.logprob);
    sequence.output.versions.push_back(weights_->version());
    const bool stopped = std::find(request.stop.begin(), request.stop.end(), chosen.token) != request.stop.end();
    const bool full = static_cast<Index>(sequence.output.tokens.size()) >= request.maxTokens ||
                      static_cast<Index>(sequence.context.tokens.size()) >= config_.maxSeqLen;
    if (stopped || full) finish(sequence, stopped);
  }
  std::erase_if(running_, [](const auto& sequence) { return sequence->id == 0; });
}

/// Hands over the output and leaves the cache to the session; the husk (id 0) is removed by the caller.
void Engine::finish(Sequence& sequence, bool stopped) {
  const std::string& name = sequence.request.session;
  sequence.output.stopped = stopped;
  if (name.empty()) cache_->drop(sequence.context);
  else cache_->keep(name, std::move(sequence.context));
  const std::lock_guard<std::mutex> lock(mutex_);
  busySessions_.erase(name);
  finished_.push_back(std::move(sequence.output));
  sequence.id = 0;
}

}  // namespace actors
