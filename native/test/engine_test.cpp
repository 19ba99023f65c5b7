// An engine under fire from several threads (run it under ThreadSanitizer too): requests, aborts, releases and new
// weights arrive while it decodes. Every request that was not aborted must finish, with sane log-probabilities.
#include "actors/engine.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "actors/learner.h"
#include "check.h"

using namespace actors;
using namespace actors::test;

namespace {

constexpr int requestsPerThread = 60;

ModelConfig smallModel() {
  ModelConfig c;
  c.vocabSize = 23;
  c.dim = 16;
  c.layers = 2;
  c.heads = 2;
  c.kvHeads = 1;
  c.headDim = 8;
  c.ffnDim = 24;
  c.tiedEmbeddings = true;
  c.maxSeqLen = 48;
  return c;
}

/// One client: submits turns of its own session, aborts some, releases now and then. Returns how many it aborted.
int client(Engine& engine, std::uint64_t seed, std::atomic<int>& refused) {
  int aborted = 0;
  for (int i = 0; i < requestsPerThread; i++) {
    const auto draw = philox(seed, static_cast<std::uint64_t>(i));
    GenerationRequest request;
    for (std::uint32_t k = 0; k <= draw[0] % 20; k++)
      request.tokens.push_back(static_cast<std::int32_t>(philox(seed, k)[0] % 23));
    request.maxTokens = 1 + draw[1] % 10;
    request.seed = seed;
    request.topK = draw[2] % 5;
    if (i % 3 == 0) request.session = "session " + std::to_string(seed);
    try {
      const std::int64_t id = engine.submit(std::move(request));
      if (draw[3] % 7 == 0) {
        engine.abort(id);
        aborted++;
      }
    } catch (const Error& error) {
      check(error.code() == ErrorCode::InvalidArgument, error.what());  // the session's last turn still runs
      refused++;
    }
    if (i % 5 == 0) engine.release("session " + std::to_string(seed));
    if (i % 10 == 0) std::this_thread::yield();
  }
  return aborted;
}

}  // namespace

int main() {
  const std::string path = "/tmp/actors-engine-test-" + std::to_string(getpid());
  Learner learner(smallModel(), 7, 1);
  learner.publish(path);
  Engine engine(smallModel(), 4, 2);
  engine.loadWeights(path, 0);

  std::atomic<int> aborted{0}, refused{0}, clients{3};
  std::atomic<bool> loading{true};
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 0; seed < 3; seed++) {
    threads.emplace_back([&, seed] {
      aborted += client(engine, seed, refused);
      clients--;
    });
  }
  threads.emplace_back([&] {
    for (std::int32_t version = 1; loading; version++) {
      engine.loadWeights(path, version);
      std::this_thread::yield();
    }
  });

  int finished = 0;
  while (clients > 0 || engine.stats().active > 0) {
    for (const Generation& generation : engine.run(8)) {
      finished++;
      check(!generation.tokens.empty() && generation.tokens.size() == generation.logprobs.size() &&
                generation.tokens.size() == generation.versions.size(),
            "a generation has a log-probability and a version for each token");
      for (const float logprob : generation.logprobs)
        check(logprob <= 1e-5f && logprob > -20.0f, "log-probability " + std::to_string(logprob));
      for (std::size_t i = 1; i < generation.versions.size(); i++)
        check(generation.versions[i] >= generation.versions[i - 1], "versions never go back");
    }
  }
  loading = false;
  for (std::thread& thread : threads) thread.join();
  // An aborted request may have finished first, so its abort came too late.
  const int submitted = 3 * requestsPerThread - refused;
  check(finished <= submitted && finished >= submitted - aborted, std::to_string(finished) + " finished of " +
                                                                      std::to_string(submitted) + " with " +
                                                                      std::to_string(aborted.load()) + " aborts");
  std::remove(path.c_str());
  return report();
}
