// Ranks as real processes: sums are right and the same on every rank, and a rank that dies, lags, aborts or brings
// another length fails the others with an error that names it, well before their patience ends.
#include "actors/collective.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "check.h"
#include "sha256.h"

using namespace actors;
using namespace actors::test;

namespace {

using Join = std::function<std::unique_ptr<Collective>(Index)>;

std::string freshPath() {
  static int counter = 0;
  struct stat status;
  const std::string folder = stat("/dev/shm", &status) == 0 ? "/dev/shm" : "/tmp";
  return folder + "/actors-collective-test-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
}

/// Makes what joins a group once it is called in the process of each rank.
using Meeting = std::function<Join(Index world, double timeoutMs)>;

Join inShared(Index world, double timeoutMs) {
  return [path = freshPath(), world, timeoutMs](Index rank) { return joinShared({path, rank, world, timeoutMs}); };
}

Join inRing(Index world, double timeoutMs) {
  std::vector<Listener> listeners;
  std::vector<Address> peers;
  for (Index rank = 0; rank < world; rank++) {
    listeners.push_back(listenOn("127.0.0.1"));
    peers.push_back({"127.0.0.1", listeners.back().port});
  }
  return [listeners, peers, timeoutMs](Index rank) {
    for (std::size_t i = 0; i < listeners.size(); i++)
      if (static_cast<Index>(i) != rank) stopListening(listeners[i].descriptor);
    return joinRing({listeners[static_cast<std::size_t>(rank)].descriptor, peers, rank, timeoutMs, "secret"});
  };
}

/// Runs body(rank) in one process a rank; returns wait statuses.
std::vector<int> ranks(Index world, const std::function<void(Index)>& body) {
  std::vector<pid_t> children;
  for (Index rank = 0; rank < world; rank++) {
    const pid_t child = fork();
    if (child == 0) {
      failures = 0;
      try {
        body(rank);
      } catch (const std::exception& error) {
        check(false, "rank " + std::to_string(rank) + ": " + error.what());
      }
      _exit(failures == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  std::vector<int> statuses;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    statuses.push_back(status);
  }
  return statuses;
}

void expectSuccess(const std::vector<int>& statuses, const std::string& what) {
  for (const int status : statuses) check(status == 0, what);
}

void testSums(const Meeting& meeting, float tolerance) {
  for (const Index world : {1, 2, 3, 4}) {
    const Join join = meeting(world, 20000);
    expectSuccess(ranks(world,
                        [&](Index rank) {
                          const auto group = join(rank);
                          group->barrier();
                          for (const Index n : {0, 1, 5, 1000, 600000}) {
                            std::vector<float> x = randomFloats(n, static_cast<std::uint64_t>(rank));
                            group->allReduce(x.data(), n);
                            std::vector<float> wanted = randomFloats(n, 0);
                            for (Index r = 1; r < world; r++) {
                              const std::vector<float> other = randomFloats(n, static_cast<std::uint64_t>(r));
                              for (std::size_t i = 0; i < wanted.size(); i++) wanted[i] += other[i];
                            }
                            const std::string what = std::to_string(world) + " ranks of " + std::to_string(n);
                            float worst = 0.0f;
                            for (std::size_t i = 0; i < x.size(); i++) worst = std::max(worst, std::abs(x[i] - wanted[i]));
                            check(worst <= tolerance, "sum over " + what);
                            wanted = x;  // the same bits each time
                            // Apart, each half does its own: one's shard summed, then everyone's.
                            std::vector<float> parts = randomFloats(n, static_cast<std::uint64_t>(rank)), before = parts;
                            group->reduceScatter(parts.data(), n);
                            const Shard own = shardOf(n, rank, world);
                            for (Index i = 0; i < n; i++) {
                              const auto at = static_cast<std::size_t>(i);
                              const bool mine = i >= own.first && i < own.last;
                              if (parts[at] != (mine ? wanted : before)[at]) return check(false, "scatter over " + what);
                            }
                            group->allGather(parts.data(), n);
                            check(parts == wanted, "gather over " + what);
                          }
                        }),
                  "all-reduce over " + std::to_string(world));
  }
}

/// The other ranks of a group of three must fail with `code` and these words when rank 1 misbehaves.
void testFailure(const Meeting& meeting, const std::string& what, ErrorCode code, const std::string& words,
                 const std::function<void(Collective&)>& misbehave) {
  const Join join = meeting(3, 2000);
  const auto started = std::chrono::steady_clock::now();
  const auto statuses = ranks(3, [&](Index rank) {
    const auto group = join(rank);
    std::vector<float> x(1000, 1.0f);
    if (rank == 1) {
      group->allReduce(x.data(), 1000);
      return misbehave(*group);
    }
    try {
      group->allReduce(x.data(), 1000);
      group->allReduce(x.data(), 1000);
      check(false, what + ": the others did not notice");
    } catch (const Error& error) {
      check(error.code() == code && std::string(error.what()).find(words) != std::string::npos,
            what + ": " + codeName(error.code()) + " " + error.what());
    }
    checkThrows(code, what + ": the group is over", [&] { group->barrier(); });
  });
  check(statuses[0] == 0 && statuses[2] == 0, what);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  check(seconds.count() < 10.0, what + " took too long");
}

void testAll(const Meeting& meeting, float tolerance) {
  testSums(meeting, tolerance);
  const auto fails = [&](const std::string& what, ErrorCode code, const std::string& words,
                         const std::function<void(Collective&)>& misbehave) {
    testFailure(meeting, what, code, words, misbehave);
  };
  fails("death", ErrorCode::Timeout, "rank 1", [](Collective&) { kill(getpid(), SIGKILL); });
  fails("leaving", ErrorCode::Timeout, "rank 1", [](Collective&) {});
  fails("lateness", ErrorCode::Timeout, "rank 1", [](Collective&) { sleep(4); });
  fails("abort", ErrorCode::Aborted, "the moon is full", [](Collective& group) {
    group.abort("the moon is full");
    usleep(500000);
  });
  fails("another length", ErrorCode::InvalidArgument, "floats", [](Collective& group) {
    std::vector<float> x(999);
    checkThrows(ErrorCode::InvalidArgument, "another length", [&] { group.allReduce(x.data(), 999); });
  });
}

/// A rank with another secret is not let in, and neither is one that only listens.
void testSecrets() {
  const Listener listeners[] = {listenOn("127.0.0.1"), listenOn("127.0.0.1")};
  const std::vector<Address> peers = {{"127.0.0.1", listeners[0].port}, {"127.0.0.1", listeners[1].port}};
  expectSuccess(ranks(2,
                      [&](Index rank) {
                        stopListening(listeners[1 - rank].descriptor);
                        try {
                          joinRing({listeners[rank].descriptor, peers, rank, 1500, rank == 0 ? "secret" : "guess"});
                          check(false, "another secret was let in");
                        } catch (const Error&) {
                        }
                      }),
                "secrets");
}

/// FIPS 180-4 and RFC 4231.
void testDigests() {
  const auto hex = [](const Digest& digest) {
    std::string text;
    for (const std::uint8_t byte : digest) {
      char pair[3];
      std::snprintf(pair, sizeof pair, "%02x", byte);
      text += pair;
    }
    return text;
  };
  check(hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "sha256 of abc");
  check(hex(sha256(std::string(1000, 'a'))) == "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3",
        "sha256 of a thousand a");
  check(hex(hmacSha256("Jefe", "what do ya want for nothing?")) ==
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "hmac");
}

}  // namespace

int main() {
  testDigests();
  testAll(inShared, 0.0f);
  testAll(inRing, 1e-6f);
  testSecrets();
  checkThrows(ErrorCode::Timeout, "a missing rank", [] { joinShared({freshPath(), 0, 2, 100}); });
  checkThrows(ErrorCode::Io, "a missing folder", [] { joinShared({"/nonexistent/x", 0, 2, 100}); });
  checkThrows(ErrorCode::InvalidArgument, "an impossible rank", [] { joinShared({freshPath(), 2, 2, 100}); });
  return report();
}
