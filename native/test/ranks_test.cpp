// Ranks as threads: on 1, 2 and 4 a model learns the same to rounding, the same bits on every rank and in every run, and
// a state saved by some number of them goes on with any other.
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "actors/learner.h"
#include "check.h"

using namespace actors;
using namespace actors::test;

namespace {

struct Folder {
  std::filesystem::path path;
  Folder() {
    struct stat status;
    path = std::filesystem::path(stat("/dev/shm", &status) == 0 ? "/dev/shm" : "/tmp") /
           ("actors-ranks-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string fresh() const {
    static int counter = 0;
    return (path / std::to_string(counter++)).string();
  }
};
const Folder folder;

struct Kind {
  std::string name;
  ModelConfig config;
  LoraOptions lora;
  LossSpec loss;
};

Kind kindOf(const std::string& name, bool critic = false, Experts experts = {}, LoraOptions lora = {}) {
  Kind kind{name, {}, lora, {}};
  ModelConfig& c = kind.config;
  c.vocabSize = 19;
  c.dim = 20;
  c.layers = 2;
  c.heads = 4;
  c.kvHeads = 2;
  c.headDim = 6;
  c.ffnDim = 28;
  c.tiedEmbeddings = true;
  c.maxSeqLen = 64;
  c.valueHead = critic;
  c.experts = experts;
  c.qkNorm = c.sparse();
  kind.loss.rule = &findLoss(critic ? "value" : "cross_entropy");
  kind.loss.balanceCoef = c.sparse() ? 0.01 : 0.0;
  kind.loss.normalizer = 100;
  return kind;
}

constexpr Index sequences = 8, length = 16;

/// The share of a rank of a step's batch.
Batch share(Index step, Index rank, Index world) {
  Batch batch;
  batch.starts = {0};
  for (Index s = 0; s < sequences; s++) {
    if (s % world != rank) continue;
    for (Index i = 0; i < length; i++) {
      const auto draw = static_cast<std::uint64_t>((step * sequences + s) * length + i);
      batch.tokens.push_back(static_cast<std::int32_t>(uniform(1, draw) * 19.0));
      batch.lossMask.push_back(i > 0 ? 1 : 0);
      batch.returns.push_back(static_cast<float>(uniform(2, draw)));
      batch.oldValues.push_back(0.0f);
    }
    batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  }
  return batch;
}

struct Outcome {
  std::vector<double> losses, norms;  ///< of each step, over all ranks
  std::vector<float> weights;
};

std::vector<std::string> shardsOf(const std::string& state, Index world) {
  std::vector<std::string> shards;
  for (Index rank = 0; rank < world; rank++) shards.push_back(state + "-" + std::to_string(rank));
  return shards;
}

struct Plan {
  Index world, from, to;         ///< steps
  std::vector<std::string> load; ///< empty: from the start
  std::string save = "";         ///< empty: not
  bool ring = false;             ///< over TCP, and from each rank's own shard
};

Outcome train(const Kind& kind, const Plan& plan) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(plan.world));
  const std::string path = folder.fresh();
  std::vector<int> listeners;
  std::vector<Address> peers;
  for (Index rank = 0; plan.ring && rank < plan.world; rank++) {
    const Listener listener = listenOn("127.0.0.1");
    listeners.push_back(listener.descriptor);
    peers.push_back({"127.0.0.1", listener.port});
  }
  const auto body = [&](Index rank) {
    const auto at = static_cast<std::size_t>(rank);
    Outcome& mine = outcomes[static_cast<std::size_t>(rank)];
    Learner learner(kind.config, 5, 1);
    if (kind.lora.rank > 0) learner.adapt(kind.lora, 6);
    learner.shard(rank, plan.world);
    const auto group = plan.ring ? joinRing({listeners[at], peers, rank, 20000, "secret"})
                                 : joinShared({path, rank, plan.world, 20000});
    if (!plan.load.empty() && plan.ring) learner.restoreShard(plan.load[at], group.get());
    else if (!plan.load.empty()) learner.loadState(plan.load);
    for (Index step = plan.from; step < plan.to; step++) {
      mine.losses.push_back(learner.forwardBackward(share(step, rank, plan.world), kind.loss).loss);
      // A large epsilon: gradients that are nothing but rounding must not become steps of full size.
      const AdamwOptions options{.lr = 0.02, .eps = 1e-3, .weightDecay = 0.1, .maxGradNorm = 0.5};
      mine.norms.push_back(learner.optimStep(options, group.get()).gradNorm);
    }
    if (!plan.save.empty()) learner.saveState(plan.save + "-" + std::to_string(rank));
    mine.weights.assign(learner.parameters(), learner.parameters() + learner.layout().total());
  };
  std::vector<std::thread> threads;
  for (Index rank = 0; rank < plan.world; rank++) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
      } catch (const std::exception& error) {
        check(false, kind.name + ", rank " + std::to_string(rank) + ": " + error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Outcome& all = outcomes[0];
  for (Index rank = 1; rank < plan.world; rank++) {
    const Outcome& other = outcomes[static_cast<std::size_t>(rank)];
    check(other.weights == all.weights && other.norms == all.norms, kind.name + ": ranks differ");
    for (std::size_t i = 0; i < all.losses.size(); i++) all.losses[i] += other.losses[i];
  }
  return all;
}

void same(const Outcome& got, const Outcome& wanted, const std::string& what) {
  check(distance(got.weights.data(), {wanted.weights.begin(), wanted.weights.end()}) < 1e-5, what + ": weights");
  const std::size_t skipped = wanted.losses.size() - got.losses.size();
  for (std::size_t i = 0; i < got.losses.size(); i++) {
    checkClose(got.losses[i], wanted.losses[skipped + i], 1e-5, what + ": loss");
    checkClose(got.norms[i], wanted.norms[skipped + i], 1e-5 * wanted.norms[skipped + i], what + ": norm");
  }
}

void testRanks(const Kind& kind) {
  const Outcome alone = train(kind, {1, 0, 4, {}});
  check(alone.losses.back() < alone.losses.front(), kind.name + ": nothing is learned");
  for (const Index world : {2, 4}) {
    const std::string what = kind.name + " on " + std::to_string(world) + " ranks";
    const Outcome first = train(kind, {world, 0, 4, {}});
    same(first, alone, what);
    check(train(kind, {world, 0, 4, {}}).weights == first.weights, what + ": another run has other bits");
    const std::string state = folder.fresh();
    train(kind, {world, 0, 2, {}, state, true});
    const Outcome rest = train(kind, {world, 2, 4, shardsOf(state, world), "", true});
    same(rest, alone, what + " in a ring");
    check(train(kind, {world, 0, 4, {}, "", true}).weights == rest.weights, what + " in a ring: other bits");
  }
  for (const Index from : {1, 2, 4}) {
    const std::string state = folder.fresh();
    train(kind, {from, 0, 2, {}, state});
    for (const Index to : {1, 2, 4}) {
      const std::string what = kind.name + " from " + std::to_string(from) + " to " + std::to_string(to) + " ranks";
      const Outcome resumed = train(kind, {to, 2, 4, shardsOf(state, from)});
      same(resumed, alone, what);
      if (from == to) check(resumed.weights == train(kind, {from, 0, 4, {}}).weights, what + ": other bits");
    }
  }
}

void testMistakes() {
  const Kind kind = kindOf("mistakes");
  const std::string state = folder.fresh(), later = folder.fresh();
  train(kind, {2, 0, 1, {}, state});
  train(kind, {2, 0, 2, {}, later});
  Learner learner(kind.config, 5, 1);
  const auto load = [&](std::vector<std::string> shards) { learner.loadState(shards); };
  checkThrows(ErrorCode::CorruptFile, "a shard missing", [&] { load({state + "-0"}); });
  checkThrows(ErrorCode::CorruptFile, "shards in another order", [&] { load({state + "-1", state + "-0"}); });
  checkThrows(ErrorCode::CorruptFile, "shards of two saves", [&] { load({state + "-0", later + "-1"}); });
  checkThrows(ErrorCode::InvalidArgument, "no shards", [&] { load({}); });
  checkThrows(ErrorCode::InvalidArgument, "a rank outside", [&] { learner.shard(2, 2); });
  learner.shard(1, 2);
  checkThrows(ErrorCode::InvalidArgument, "a shard without its peers", [&] { learner.optimStep({}); });
}

/// Gradients that are not finite on one rank leave all ranks as they were, and say the same on each.
void testBrokenGradient() {
  const Kind kind = kindOf("broken");
  const std::string path = folder.fresh();
  std::vector<StepResult> results(2);
  std::vector<std::thread> threads;
  for (Index rank = 0; rank < 2; rank++) {
    threads.emplace_back([&, rank] {
      Learner learner(kind.config, 5, 1);
      learner.shard(rank, 2);
      const auto group = joinShared({path, rank, 2, 20000});
      learner.forwardBackward(share(0, rank, 2), kind.loss);
      const Parameter& last = learner.layout().all().back();
      if (rank == 0) learner.gradients()[last.offset] = std::nanf("");
      const std::vector<float> before(learner.parameters(), learner.parameters() + learner.layout().total());
      results[static_cast<std::size_t>(rank)] = learner.optimStep({.lr = 1.0}, group.get());
      check(std::equal(before.begin(), before.end(), learner.parameters()), "a skipped step changed weights");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const StepResult& result : results)
    check(result.skipped && result.reason.find("model.norm.weight") != std::string::npos, "skipped: " + result.reason);
}

/// What is kept of activations changes no bit of what is learned.
void testCheckpointing(const Kind& kind) {
  Learner all(kind.config, 5, 1), some(kind.config, 5, 1);
  some.gradientCheckpointing(true);
  for (Index step = 0; step < 2; step++) {
    for (Learner* learner : {&all, &some}) learner->forwardBackward(share(step, 0, 1), kind.loss);
    check(std::memcmp(all.gradients(), some.gradients(),
                      static_cast<std::size_t>(all.layout().total()) * sizeof(float)) == 0,
          kind.name + ": gradient checkpointing changes the gradient");
    for (Learner* learner : {&all, &some}) learner->optimStep({.lr = 0.01});
  }
}

}  // namespace

int main() {
  const std::vector<Kind> kinds = {
      kindOf("dense"),
      kindOf("critic", true),
      kindOf("mixture of experts", false, {4, 2, 10, true}),
      kindOf("adapters", false, {}, {2, 4.0, {"q_proj", "down_proj"}}),
  };
  for (const Kind& kind : kinds) testRanks(kind);
  for (const Kind& kind : kinds) testCheckpointing(kind);
  testMistakes();
  testBrokenGradient();
  return report();
}
