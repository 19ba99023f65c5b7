// The native learner on a GPU without Node: `actors_gpu check` holds every operation against the CPU backend,
// `actors_gpu train 0.6b|7.6b [steps] [tokens] [sequence length]` times training steps from random weights.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "actors/error.h"
#include "actors/head.h"
#include "actors/random.h"
#include "actors/transformer.h"
#include "compare.h"

using namespace actors;

namespace {

/// fp32 sums in another order than the CPU's, over at most some thousand values; and what rounding to bf16 may leave.
constexpr double tolerance = 1e-4, tensorTolerance = 3e-2;

int check() {
  const auto backend = makeCudaBackend(0, false), tensor = makeCudaBackend(0, true);
  std::printf("%s\n", backend->name());
  test::Comparison compare(*backend, tolerance), rounded(*tensor, tensorTolerance);
  for (std::uint64_t seed = 1; seed <= 40; seed++) {
    compareOperations(compare, seed);
    compareAttention(rounded, seed);
  }
  ModelConfig config;
  config.vocabSize = 1003;
  config.dim = 128;
  config.layers = 2;
  config.heads = 4;
  config.kvHeads = 2;
  config.headDim = 64;
  config.ffnDim = 320;
  config.maxSeqLen = 96;
  config.qkNorm = true;
  compareTraining(compare, config, 1);
  compareTraining(rounded, config, 1);
  config.experts = {6, 2, 40, true};
  compareTraining(compare, config, 1);
  for (const test::Comparison* one : {&compare, &rounded})
    for (const std::string& difference : one->differences()) std::printf("FAILED: %s\n", difference.c_str());
  std::printf("largest relative distance from the CPU backend: %.1e, with bf16 %.1e\n", compare.worst(),
              rounded.worst());
  return compare.differences().empty() && rounded.differences().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Qwen3-0.6B and Qwen2.5-7B.
ModelConfig shapeOf(const std::string& name) {
  ModelConfig c;
  c.layers = 28;
  c.headDim = 128;
  c.maxSeqLen = 32768;
  c.ropeTheta = 1e6;
  if (name == "0.6b") {
    c.vocabSize = 151936;
    c.dim = 1024;
    c.heads = 16;
    c.kvHeads = 8;
    c.ffnDim = 3072;
    c.qkNorm = c.tiedEmbeddings = true;
  } else if (name == "7.6b") {
    c.vocabSize = 152064;
    c.dim = 3584;
    c.heads = 28;
    c.kvHeads = 4;
    c.ffnDim = 18944;
    c.qkvBias = true;
  } else {
    throw Error(ErrorCode::InvalidArgument, "train: the shape must be 0.6b or 7.6b, got " + name);
  }
  return c;
}

/// bf16 operations a second on paper, without sparsity; 0: not known.
double peakOf(const std::string& gpu) {
  const std::pair<const char*, double> peaks[] = {
      {"B200", 2250e12}, {"H200", 989e12}, {"H100 PCIe", 756e12}, {"H100", 989e12}, {"A100", 312e12}};
  for (const auto& [name, peak] : peaks)
    if (gpu.find(name) != std::string::npos) return peak;
  return 0.0;
}

/// Of a step: two for each weight a token is multiplied with, thrice (Chowdhery et al. 2022, appendix B), and
/// attention.
double operationsOf(const ModelConfig& c, Index parameters, Index tokens, Index length) {
  const Index multiplied = c.tiedEmbeddings ? parameters : parameters - c.vocabSize * c.dim;
  const double attention = 6.0 * static_cast<double>(c.layers * c.queryDim() * length);
  return static_cast<double>(tokens) * (6.0 * static_cast<double>(multiplied) + attention);
}

/// Small values that repeat, as drawing billions on the host would take minutes.
void initialise(Backend& backend, const ParameterLayout& layout, float* weights) {
  std::vector<float> values(1 << 20), ones(1 << 16, 1.0f);
  for (std::size_t i = 0; i < values.size(); i++) values[i] = static_cast<float>((uniform(1, i) - 0.5) * 0.04);
  for (const Parameter& p : layout.all()) {
    const std::vector<float>& from = p.shape.size() == 1 && !p.name.ends_with(".bias") ? ones : values;
    for (Index done = 0; done < p.size;) {
      const Index count = std::min(p.size - done, static_cast<Index>(from.size()));
      backend.upload(from.data(), count, weights + p.offset + done);
      done += count;
    }
  }
}

void printMemory() {
  FILE* pipe = popen("nvidia-smi --query-gpu=memory.used,memory.total --format=csv,noheader -i 0 2>/dev/null", "r");
  char line[100] = "";
  if (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) std::printf("  GPU memory in use: %s", line);
  if (pipe != nullptr) pclose(pipe);
}

int train(const std::string& shape, int steps, Index tokens, Index length) {
  const ModelConfig config = shapeOf(shape);
  const ParameterLayout layout(config);
  const ModelOffsets offsets(config, layout);
  const Index n = layout.total();
  const auto backend = makeCudaBackend(0, true);
  std::printf("%s, %s: %.2fe9 parameters, %td tokens in sequences of %td\n", backend->name(), shape.c_str(),
              static_cast<double>(n) / 1e9, tokens, length);

  std::vector<std::int32_t> ids, starts = {0};
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(tokens); i++)
    ids.push_back(static_cast<std::int32_t>(uniform(2, i) * static_cast<double>(config.vocabSize)));
  while (starts.back() < tokens) starts.push_back(static_cast<std::int32_t>(std::min(starts.back() + length, tokens)));
  const Sequences sequences{starts.data(), static_cast<Index>(starts.size()) - 1, tokens};
  HeadRows rows;
  for (std::size_t i = 0; i + 1 < starts.size(); i++) {
    for (std::int32_t row = starts[i]; row + 1 < starts[i + 1]; row++) {
      rows.rows.push_back(row);
      rows.targets.push_back(ids[static_cast<std::size_t>(row) + 1]);
    }
  }

  Transformer transformer(*backend, config, offsets);
  OutputHead head(*backend, config, offsets);
  Buffer weights(n, backend->memory()), gradients(n, backend->memory()), first(n, backend->memory()),
      second(n, backend->memory());
  initialise(*backend, layout, weights.data());
  std::vector<double> times;
  for (int step = 1; step <= steps; step++) {
    const auto began = std::chrono::steady_clock::now();
    double loss = 0.0;
    rows.hidden = transformer.forward(weights.data(), ids.data(), sequences, {});
    backend->zero(transformer.outputGradient(), tokens * config.dim);
    const auto grade = [&](Index, Index count, const float* logp, const float*, float* gLogp, float* gEntropy) {
      for (Index i = 0; i < count; i++) loss -= static_cast<double>(logp[i]) / static_cast<double>(rows.count());
      std::fill_n(gLogp, count, -1.0f / static_cast<float>(rows.count()));
      std::fill_n(gEntropy, count, 0.0f);
    };
    head.train(weights.data(), gradients.data(), rows, false, grade, transformer.outputGradient());
    transformer.backward(weights.data(), gradients.data(), ids.data(), sequences, {});
    const double norm = std::sqrt(backend->squaredNorm(gradients.data(), n));
    for (const Parameter& p : layout.all())
      backend->adamw(weights.data() + p.offset, gradients.data() + p.offset, first.data() + p.offset,
                     second.data() + p.offset, p.size, {.lr = 1e-5}, step, p.shape.size() > 1 ? 0.1 : 0.0,
                     1.0 / std::max(norm, 1.0));
    backend->zero(gradients.data(), n);
    float last = 0.0f;
    backend->download(weights.data(), 1, &last);  // waits for the step
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    std::printf("  step %d: loss %.4f, gradient norm %.3g, %.1f ms\n", step, loss, norm, times.back() * 1e3);
    if (!std::isfinite(loss) || !std::isfinite(norm)) return EXIT_FAILURE;
  }
  times.erase(times.begin());  // the first one also allocates and chooses algorithms
  std::sort(times.begin(), times.end());
  const double best = times.empty() ? NAN : times[times.size() / 2];
  const double rate = operationsOf(config, n, tokens, length) / best, peak = peakOf(backend->name());
  std::printf("  median %.1f ms a step, %.0f tokens/s, %.1f TFLOP/s", best * 1e3, static_cast<double>(tokens) / best,
              rate / 1e12);
  if (peak > 0.0) std::printf(", MFU %.1f %%", 100.0 * rate / peak);
  std::printf("\n");
  printMemory();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, long standard) { return argc > at ? std::atol(argv[at]) : standard; };
  try {
    if (argc == 2 && std::strcmp(argv[1], "check") == 0) return check();
    if (argc >= 3 && std::strcmp(argv[1], "train") == 0)
      return train(argv[2], static_cast<int>(number(3, 6)), number(4, 8192), number(5, 2048));
    std::fprintf(stderr, "usage: actors_gpu check | train 0.6b|7.6b [steps] [tokens] [sequence length]\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return EXIT_FAILURE;
}
