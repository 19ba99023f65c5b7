#include "actors/engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine_weights.h"
#include "page_pool.h"
#include "sampler.h"

namespace actors {

/// A request with its cache. tokens holds prompt and generated tokens; positions [0, cached) are in the pages.
struct Engine::Sequence {
  std::int64_t id = 0;
  GenerationRequest request;
  std::vector<std::int32_t> tokens;
  std::vector<float*> pages;
  Index cached = 0;
  Generation output;
};

/// The cache a finished turn left behind for the next one.
struct Engine::Session {
  std::vector<std::int32_t> tokens;
  std::vector<float*> pages;
  Index cached = 0;
  std::uint64_t lastUsed = 0;
};

/// One pass through the model: which rows, and which of them are the last of their sequence and need logits.
struct Engine::Step {
  std::vector<std::int32_t> tokens, positions;
  std::vector<CachedRow> rows;
  std::vector<std::int32_t> logitRows;
  std::vector<Sequence*> sampled;                ///< owners of logitRows
  std::vector<std::pair<Sequence*, Index>> fed;  ///< how many rows each sequence brings
};

namespace {

/// Prompt rows of one step: enough to fill the multiplications, few enough not to hold up decoding.
constexpr Index rowBudget = 512;

Index common(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  const auto length = static_cast<Index>(std::min(a.size(), b.size()));
  return std::mismatch(a.begin(), a.begin() + length, b.begin()).first - a.begin();
}

int checkedThreads(int threads) {
  require(threads >= 1 && threads <= 1024,
          "engine: threads must be between 1 and 1024, got " + std::to_string(threads));
  return threads;
}

}  // namespace

Engine::Engine(const ModelConfig& config, Index maxSequences, int threads)
    : config_((config.validate(), config)),
      layout_(config),
      shape_{config.heads, config.kvHeads, config.headDim},
      rope_(config),
      backend_(makeCpuBackend(checkedThreads(threads))),
      expertMlp_(*backend_, config),
      maxSequences_(maxSequences),
      maxRows_(std::max(rowBudget, maxSequences)) {
  require(!config.valueHead, "engine: a model with a value head generates nothing");
  require(maxSequences >= 1 && maxSequences <= 1 << 16,
          "engine: maxSequences must be between 1 and 65536, got " + std::to_string(maxSequences));
  const Index tokens = backend_->pageTokens();
  // Sessions at rest use pages that running sequences do not need; at the limit the oldest are evicted.
  pool_ = std::make_unique<PagePool>(config.layers * 2 * config.kvDim() * tokens,
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
  if (fresh == nullptr) fresh = std::make_unique<EngineWeights>(*backend_, config_);
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
  sequence->tokens = request.tokens;
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
    const auto found = sessions_.find(name);
    if (found != sessions_.end()) {
      pool_->give(found->second.pages);
      sessions_.erase(found);
    }
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
  for (const auto& sequence : running_) sequence->cached = 0;
  for (auto& [name, session] : sessions_) pool_->give(session.pages);
  sessions_.clear();
}

void Engine::admit() {
  while (!waiting_.empty() && static_cast<Index>(running_.size()) < maxSequences_) {
    std::unique_ptr<Sequence> sequence = std::move(waiting_.front());
    waiting_.pop_front();
    const auto found = sessions_.find(sequence->request.session);
    if (!sequence->request.session.empty() && found != sessions_.end()) {
      Session& session = found->second;
      sequence->pages = std::move(session.pages);
      // The last token is always fed, since its logits are needed.
      sequence->cached = std::min(
          {common(session.tokens, sequence->tokens), session.cached, static_cast<Index>(sequence->tokens.size()) - 1});
      sessions_.erase(found);
    }
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
    pool_->give((*running)->pages);
    running_.erase(running);
  }
}

void Engine::step(const Cancel& cancel) {
  Step step;
  schedule(step);
  forward(step, cancel);
  for (const auto& [sequence, count] : step.fed) sequence->cached += count;
  sample(step);
}

/// One row for every sequence, then prompt rows up to the budget, oldest sequence first.
void Engine::schedule(Step& step) {
  Index spare = maxRows_ - static_cast<Index>(running_.size());
  for (const auto& owner : running_) {
    Sequence& sequence = *owner;
    const Index missing = static_cast<Index>(sequence.tokens.size()) - sequence.cached;
    const Index count = 1 + std::min(missing - 1, spare);
    spare -= count - 1;
    reservePages(sequence, sequence.cached + count);
    for (Index position = sequence.cached; position < sequence.cached + count; position++) {
      step.tokens.push_back(sequence.tokens[static_cast<std::size_t>(position)]);
      step.positions.push_back(static_cast<std::int32_t>(position));
      step.rows.push_back({sequence.pages.data(), position + 1});
    }
    step.fed.emplace_back(&sequence, count);
    if (count < missing) continue;
    step.logitRows.push_back(static_cast<std::int32_t>(step.rows.size()) - 1);
    step.sampled.push_back(&sequence);
  }
}

void Engine::reservePages(Sequence& sequence, Index positions) {
  const Index tokens = backend_->pageTokens();
  while (static_cast<Index>(sequence.pages.size()) * tokens < positions) {
    float* page = pool_->take();
    if (page != nullptr) {
      sequence.pages.push_back(page);
      continue;
    }
    const auto oldest = std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
      return a.second.lastUsed < b.second.lastUsed;
    });
    if (oldest == sessions_.end()) throw Error(ErrorCode::Internal, "the key-value cache ran out of pages");
    pool_->give(oldest->second.pages);
    sessions_.erase(oldest);
  }
}

void Engine::forward(const Step& step, const Cancel& cancel) {
  const ModelConfig& c = config_;
  const Index rows = static_cast<Index>(step.rows.size()), wanted = static_cast<Index>(step.logitRows.size());
  const Index mlp = c.sparse() ? expertMlp_.savedFloats() : 3 * c.ffnDim;
  float* x = workspace_.reserve(maxRows_ * (2 * c.dim + c.qkvDim() + c.queryDim() + mlp));
  float *normed = x + maxRows_ * c.dim, *qkv = normed + maxRows_ * c.dim, *attention = qkv + maxRows_ * c.qkvDim();
  float* scratch = attention + maxRows_ * c.queryDim();
  const Index layerFloats = 2 * c.kvDim() * backend_->pageTokens();

  rope_.cover(1 + *std::max_element(step.positions.begin(), step.positions.end()));
  backend_->gather(weights_->embedding(), step.tokens.data(), rows, c.dim, x);
  Index layerOffset = 0;
  for (const EngineLayer& layer : weights_->layers()) {
    cancel.check();
    backend_->rmsNorm(x, layer.attentionNorm, rows, c.dim, c.normEps, normed, nullptr);
    backend_->linear(normed, rows, layer.qkv, qkv, false);
    if (c.qkvBias) backend_->addBias(qkv, layer.qkvBias, rows, c.qkvDim());
    if (c.qkNorm) backend_->headNorm(qkv, {layer.queryNorm, layer.keyNorm, c.normEps}, rows, shape_, qkv);
    backend_->rope(qkv, rows, shape_, step.positions.data(), rope_, false);
    backend_->cacheWrite(qkv, step.rows.data(), rows, shape_, layerOffset);
    backend_->cacheAttention(qkv, step.rows.data(), rows, shape_, layerOffset, attention);
    backend_->linear(attention, rows, layer.output, x, true);
    backend_->rmsNorm(x, layer.mlpNorm, rows, c.dim, c.normEps, normed, nullptr);
    mlpForward(layer, normed, rows, scratch, x);
    layerOffset += layerFloats;
  }
  if (wanted == 0) return;
  backend_->gather(x, step.logitRows.data(), wanted, c.dim, normed);
  backend_->rmsNorm(normed, weights_->finalNorm(), wanted, c.dim, c.normEps, normed, nullptr);
  backend_->linear(normed, wanted, weights_->head(), logits_.reserve(maxSequences_ * c.vocabSize), false);
}

/// out [rows, dim] += the layer's MLP of x.
void Engine::mlpForward(const EngineLayer& layer, const float* x, Index rows, float* scratch, float* out) {
  const Index ffn = config_.ffnDim;
  if (config_.sparse()) {
    routed_.probabilities = scratch;
    routed_.weights = scratch + maxRows_ * config_.experts.count;
    routed_.gateUp = routed_.weights + maxRows_ * config_.experts.active;
    expertMlp_.forward(x, rows, layer.experts, routed_, out);
    return;
  }
  float* act = scratch + maxRows_ * 2 * ffn;
  backend_->linear(x, rows, layer.gateUp, scratch, false);
  backend_->swiglu(scratch, rows, ffn, act);
  backend_->linear(act, rows, layer.down, out, true);
}

void Engine::sample(const Step& step) {
  const Index vocab = config_.vocabSize;
  const auto logitsOf = [&](std::size_t i) { return logits_.data() + static_cast<Index>(i) * vocab; };
  std::vector<std::int32_t> best(step.sampled.size()), order;
  for (std::size_t i = 0; i < step.sampled.size(); i++) {
    const double temperature = step.sampled[i]->request.temperature;
    if (temperature == 0.0) best[i] = greedyToken(logitsOf(i), vocab);
    if (std::isfinite(backend_->softmax(logitsOf(i), vocab, temperature == 0.0 ? 1.0 : 1.0 / temperature))) continue;
    for (Sequence* sequence : step.sampled) sequence->cached--;  // nothing was sampled: feed the last token again
    throw Error(ErrorCode::CorruptFile, "weights version " + std::to_string(weights_->version()) +
                                            " give logits that are not finite; load other weights");
  }
  for (std::size_t i = 0; i < step.sampled.size(); i++) {
    Sequence& sequence = *step.sampled[i];
    const GenerationRequest& request = sequence.request;
    const float* probabilities = logitsOf(i);
    const Sampled chosen = request.temperature == 0.0
                               ? Sampled{best[i], std::log(probabilities[best[i]])}
                               : drawToken(probabilities, vocab, request, sequence.tokens.size(), order);

    sequence.tokens.push_back(chosen.token);
    sequence.output.tokens.push_back(chosen.token);
    sequence.output.logprobs.push_back(chosen.logprob);
    sequence.output.versions.push_back(weights_->version());
    const bool stopped = std::find(request.stop.begin(), request.stop.end(), chosen.token) != request.stop.end();
    const bool full = static_cast<Index>(sequence.output.tokens.size()) >= request.maxTokens ||
                      static_cast<Index>(sequence.tokens.size()) >= config_.maxSeqLen;
    if (stopped || full) finish(sequence, stopped);
  }
  std::erase_if(running_, [](const auto& sequence) { return sequence->id == 0; });
}

/// Hands over the output and leaves the cache to the session; the husk (id 0) is removed by the caller.
void Engine::finish(Sequence& sequence, bool stopped) {
  const std::string& name = sequence.request.session;
  sequence.output.stopped = stopped;
  if (name.empty()) pool_->give(sequence.pages);
  else sessions_[name] = {std::move(sequence.tokens), std::move(sequence.pages), sequence.cached, ++clock_};
  const std::lock_guard<std::mutex> lock(mutex_);
  busySessions_.erase(name);
  finished_.push_back(std::move(sequence.output));
  sequence.id = 0;
}

}  // namespace actors
