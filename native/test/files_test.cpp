// Hostile files: every truncation and many single-byte changes of a good file must give an error or the same content,
// never a crash (run it under AddressSanitizer too) and never silently different weights.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>

#include "actors/checkpoint.h"
#include "actors/json.h"
#include "actors/learner.h"
#include "check.h"

using namespace actors;
using namespace actors::test;

namespace {

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("actors-files-test-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

void writeWhole(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit(false);
}

ModelConfig tinyModel() {
  ModelConfig c;
  c.vocabSize = 5;
  c.dim = 4;
  c.layers = 1;
  c.heads = 2;
  c.kvHeads = 1;
  c.headDim = 2;
  c.ffnDim = 6;
  c.maxSeqLen = 8;
  return c;
}

void testTruncations(const std::string& good, const std::string& path) {
  for (std::size_t length = 0; length < good.size(); length++) {
    writeWhole(path, good.substr(0, length));
    checkThrows(ErrorCode::CorruptFile, "truncated to " + std::to_string(length), [&] { SafetensorsFile file(path); });
  }
  writeWhole(path, good + "x");
  checkThrows(ErrorCode::CorruptFile, "with a byte too many", [&] { SafetensorsFile file(path); });
}

void testChangedBytes(const std::string& good, const std::string& path) {
  const ParameterLayout layout(tinyModel());
  std::vector<float> expected(static_cast<std::size_t>(layout.total())), got(expected.size());
  writeWhole(path, good);
  readParameters(SafetensorsFile(path), layout, expected.data());
  for (std::size_t i = 0; i < 4 * good.size(); i++) {
    std::string bad = good;
    const auto words = philox(99, i);
    bad[words[0] % bad.size()] = static_cast<char>(words[1]);
    writeWhole(path, bad);
    try {
      const SafetensorsFile file(path);
      file.verify();
      readParameters(file, layout, got.data());
      // A change in the metadata may drop the checksum; then only the data itself must be intact.
      check(bad == good || std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0,
            "changed byte " + std::to_string(words[0] % bad.size()) + " went unnoticed");
    } catch (const Error&) {
    }
  }
}

void testState(const Folder& folder) {
  Learner learner(tinyModel(), 3, 1);
  Batch batch;
  batch.tokens = {1, 2, 3, 4};
  batch.starts = {0, 4};
  batch.lossMask = {0, 1, 1, 1};
  LossSpec loss;
  loss.rule = &findLoss("cross_entropy");
  loss.normalizer = 3;
  learner.forwardBackward(batch, loss);
  learner.optimStep({.lr = 0.1});
  learner.saveState(folder / "state");
  Learner other(tinyModel(), 4, 1);
  other.loadState({folder / "state"});
  for (Learner* l : {&learner, &other}) {
    l->forwardBackward(batch, loss);
    l->optimStep({.lr = 0.1});
  }
  check(std::memcmp(learner.parameters(), other.parameters(),
                    static_cast<std::size_t>(learner.layout().total()) * sizeof(float)) == 0,
        "a restored learner goes on with other bits");
  ModelConfig larger = tinyModel();
  larger.vocabSize = 6;
  Learner stranger(larger, 4, 1);
  checkThrows(ErrorCode::InvalidArgument, "state of another model", [&] { stranger.loadState({folder / "state"}); });
  learner.publish(folder / "weights");
  checkThrows(ErrorCode::CorruptFile, "weights are not a state", [&] { learner.loadState({folder / "weights"}); });
  checkThrows(ErrorCode::Io, "missing state", [&] { learner.loadState({folder / "nothing"}); });
}

/// What the child that runs `body` died of, or 0.
int deathOf(const std::function<void()>& body, useconds_t killAfter = 0) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  if (killAfter > 0) {
    usleep(killAfter);
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/// A writer that dies at any byte, or at any moment, leaves the state that was there before or the new one.
void testKilledWriter(const Folder& folder) {
  Learner older(tinyModel(), 3, 1), newer(tinyModel(), 4, 1);
  const std::string path = folder / "killed";
  newer.saveState(path);
  const std::string after = readText(path);
  older.saveState(path);
  const std::string before = readText(path);
  for (std::size_t bytes = 0; bytes < after.size(); bytes += 1 + after.size() / 100) {
    const int death = deathOf([&] {
      const rlimit none = {0, 0}, most = {bytes, bytes};
      setrlimit(RLIMIT_CORE, &none);
      setrlimit(RLIMIT_FSIZE, &most);  // the kernel kills whoever writes further
      newer.saveState(path);
    });
    check(death == SIGXFSZ && readText(path) == before, "killed at byte " + std::to_string(bytes));
  }
  for (std::uint64_t round = 0; round < 20; round++) {
    const auto writing = [&] {
      for (;;)
        for (Learner* learner : {&newer, &older}) learner->saveState(path);
    };
    check(deathOf(writing, 1 + static_cast<useconds_t>(3000 * uniform(8, round))) == SIGKILL, "the writer lives");
    const std::string left = readText(path);
    check(left == before || left == after, "killed while it wrote");
    older.loadState({path});
  }
}

void testConfigs(const Folder& folder) {
  ModelConfig c = tinyModel();
  c.ropeTheta = 500000.25;
  c.normEps = 1e-5;
  c.tiedEmbeddings = true;
  writeWhole(folder / "config.json", configJson(c));
  const ModelConfig back = readConfig(folder / "config.json");
  check(configJson(back) == configJson(c), "config.json survives a round trip");
  const char* bad[] = {"",
                       "{",
                       "[]",
                       "nul",
                       "{\"a\":1}",
                       "{\"vocab_size\":1e99}",
                       "{\"vocab_size\":\"5\"}",
                       "\"\\u12\"",
                       "{\"a\":1,\"a\":2}"};
  for (const char* text : bad) {
    writeWhole(folder / "config.json", text);
    checkThrows(ErrorCode::CorruptFile, std::string("config ") + text, [&] { readConfig(folder / "config.json"); });
  }
  writeWhole(folder / "config.json", std::string(100000, '['));
  checkThrows(ErrorCode::CorruptFile, "deep nesting", [&] { readConfig(folder / "config.json"); });
  writeWhole(folder / "config.json", "{\"model_type\":\"gpt2\"}");
  checkThrows(ErrorCode::Unsupported, "another family", [&] { readConfig(folder / "config.json"); });
}

}  // namespace

int main() {
  const Folder folder;
  Learner learner(tinyModel(), 3, 1);
  learner.publish(folder / "good");
  const std::string good = readText(folder / "good");
  testTruncations(good, folder / "bad");
  testChangedBytes(good, folder / "bad");
  testState(folder);
  testKilledWriter(folder);
  testConfigs(folder);
  return report();
}
