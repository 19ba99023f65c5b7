// Ranks as real processes: sums are right and the same on every rank, and a rank that dies, lags, aborts or brings
// another length fails the others with an error that names it, well before their patience ends.
#include "actors/collective.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>

#include "check.h"

using namespace actors;
using namespace actors::test;

namespace {

std::string freshPath() {
  static int counter = 0;
  struct stat status;
  const std::string folder = stat("/dev/shm", &status) == 0 ? "/dev/shm" : "/tmp";
  return folder + "/actors-collective-test-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
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

void testSums() {
  for (const Index world : {1, 2, 3, 4}) {
    const std::string path = freshPath();
    expectSuccess(ranks(world,
                        [&](Index rank) {
                          const auto group = Collective::join({path, rank, world, 20000});
                          struct stat status;
                          group->barrier();
                          check(stat(path.c_str(), &status) != 0, "the file outlives the join");
                          for (const Index n : {0, 1, 5, 1000, 600000}) {
                            std::vector<float> x = randomFloats(n, static_cast<std::uint64_t>(rank));
                            group->allReduce(x.data(), n);
                            std::vector<float> wanted = randomFloats(n, 0);
                            for (Index r = 1; r < world; r++) {
                              const std::vector<float> other = randomFloats(n, static_cast<std::uint64_t>(r));
                              for (std::size_t i = 0; i < wanted.size(); i++) wanted[i] += other[i];
                            }
                            const std::string what = std::to_string(world) + " ranks of " + std::to_string(n);
                            check(x == wanted, "sum over " + what);
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
void testFailure(const std::string& what, ErrorCode code, const std::string& words,
                 const std::function<void(Collective&)>& misbehave) {
  const std::string path = freshPath();
  const auto started = std::chrono::steady_clock::now();
  const auto statuses = ranks(3, [&](Index rank) {
    const auto group = Collective::join({path, rank, 3, 2000});
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
  check(seconds.count() < 15.0, what + " took too long");
}

}  // namespace

int main() {
  testSums();
  testFailure("death", ErrorCode::Timeout, "rank 1", [](Collective&) { kill(getpid(), SIGKILL); });
  testFailure("leaving", ErrorCode::Timeout, "rank 1", [](Collective&) {});
  testFailure("lateness", ErrorCode::Timeout, "rank 1", [](Collective&) { sleep(4); });
  testFailure("abort", ErrorCode::Aborted, "the moon is full", [](Collective& group) {
    group.abort("the moon is full");
    usleep(500000);
  });
  testFailure("another length", ErrorCode::InvalidArgument, "floats", [](Collective& group) {
    std::vector<float> x(999);
    checkThrows(ErrorCode::InvalidArgument, "another length", [&] { group.allReduce(x.data(), 999); });
  });
  checkThrows(ErrorCode::Timeout, "a missing rank", [] { Collective::join({freshPath(), 0, 2, 100}); });
  checkThrows(ErrorCode::Io, "a missing folder", [] { Collective::join({"/nonexistent/x", 0, 2, 100}); });
  checkThrows(ErrorCode::InvalidArgument, "an impossible rank", [] { Collective::join({freshPath(), 2, 2, 100}); });
  return report();
}
