// Every CUDA kernel on the CPU: the whole CUDA backend, its kernels on the fiber shim, against the CPU backend;
// training through it; the shim's own promises; and that every barrier of every kernel is needed, by leaving out one at
// a time. `shim_test quick` is what the build with AddressSanitizer runs; `shim_test overrun` must not survive there.

#include <cstring>

#include "../check.h"
#include "compare.h"
#include "cuda/backend.h"
#include "cuda/gpu.h"
#include "host_device.h"

using namespace actors;
using namespace actors::test;

namespace {

constexpr double tolerance = 1e-5;
/// Rounding operands to bf16 leaves up to 1e-2, where a single score is all there is; a wrong fragment 1.
constexpr double tensorTolerance = 3e-2;

cuda::CudaBackend shimBackend(bool bf16 = false) { return {std::make_unique<HostDevice>(), bf16}; }

void checkComparison(const Comparison& compare, const std::string& what) {
  for (const std::string& difference : compare.differences()) check(false, what + ": " + difference);
}

void testOperations(bool quick) {
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= (quick ? 2 : 10); seed++) {
    shim::runSeed = seed % 4;
    cuda::CudaBackend backend = shimBackend();
    Comparison compare(backend, tolerance);
    compareOperations(compare, seed);
    checkComparison(compare, "seed " + std::to_string(seed));
    worst = std::max(worst, compare.worst());
  }
  shim::runSeed = 0;
  std::printf("operations: largest relative L2 distance %.1e\n", worst);
}

ModelConfig smallModel() {
  ModelConfig c;
  c.vocabSize = 61;
  c.dim = 24;
  c.layers = 2;
  c.heads = 4;
  c.kvHeads = 2;
  c.headDim = 6;
  c.ffnDim = 40;
  c.maxSeqLen = 96;
  return c;
}

void testTraining(bool quick) {
  const auto run = [](const char* what, const ModelConfig& config) {
    cuda::CudaBackend backend = shimBackend();
    Comparison compare(backend, 2e-5);
    compareTraining(compare, config, 3);
    checkComparison(compare, what);
    std::printf("training, %s: largest relative distance %.1e\n", what, compare.worst());
  };
  ModelConfig config = smallModel();
  config.qkNorm = true;
  config.experts = {6, 2, 10, true};
  run("qwen3-moe", config);
  if (quick) return;
  config = smallModel();
  config.qkvBias = config.tiedEmbeddings = true;
  run("qwen2", config);
  config.valueHead = true;
  run("a value head", config);
}

/// Operands rounded to bf16 before a product: as if they had been so from the start.
void testBf16(bool quick) {
  cuda::CudaBackend backend = shimBackend(true);
  const auto rounded = [](std::vector<float> values) {
    for (float& x : values) x = fromBf16(toBf16(x));
    return values;
  };
  Comparison compare(backend, tolerance);
  const Index rows = 9, out = 33, in = 31;
  compare("bf16 products of rounded values",
          {rounded(randomFloats(rows * in, 1)), rounded(randomFloats(out * in, 2)), randomFloats(rows * out, 3)},
          [&](Backend& b, auto& p) {
            Buffer packed(b.packedSize(out, in), b.memory());
            b.pack({p[1], nullptr, out, in}, packed.data());
            b.linear(p[0], rows, {p[1], nullptr, out, in}, p[2], true);
            b.linear(p[0], rows, {nullptr, packed.data(), out, in}, p[2], true);
          });
  checkComparison(compare, "bf16");
  std::vector<float> special = {0.0f,      -0.0f, 1.0f + 0x1p-8f, 1.0f + 3 * 0x1p-8f, 3.3e38f, INFINITY,
                                -INFINITY, NAN,   1e-40f};
  std::vector<std::uint16_t> halves(special.size());
  cuda::launch::toBf16(nullptr, special.data(), static_cast<Index>(special.size()), halves.data());
  for (std::size_t i = 0; i < special.size(); i++)
    check(halves[i] == toBf16(special[i]), "bf16 of " + std::to_string(special[i]));
  Comparison attention(backend, tensorTolerance);
  for (std::uint64_t seed = 1; seed <= (quick ? 2 : 10); seed++) {
    shim::runSeed = seed % 4;
    compareAttention(attention, seed);
  }
  shim::runSeed = 0;
  checkComparison(attention, "attention on tensor cores");
  std::printf("attention on tensor cores: largest relative L2 distance %.1e\n", attention.worst());
  if (quick) return;
  ModelConfig config = smallModel();
  Comparison training(backend, tensorTolerance);
  compareTraining(training, config, 3);
  checkComparison(training, "bf16");
  std::printf("training, bf16: largest relative distance %.1e\n", training.worst());
}

__global__ void divergentBarrier(int* reached) {
  if (threadIdx.x < 32) __syncthreads();
  reached[threadIdx.x] = 1;
}
__global__ void divergentShuffle(float* values) {
  if (threadIdx.x % 2 == 0) values[threadIdx.x] = __shfl_xor_sync(0xffffffffu, values[threadIdx.x], 2);
}
__global__ void twoBarriers(float* values) {
  if (threadIdx.x < 32) __syncthreads();
  else __syncthreads();
  values[threadIdx.x] = 1.0f;
}
__global__ void readsBeforeWriting(float* values) {
  SHARED(float, shared, 64);
  shared[threadIdx.x / 2] = 1.0f;
  __syncthreads();
  values[threadIdx.x] = shared[threadIdx.x];
}
__global__ void tooMuchShared(float* values) {
  SHARED(float, shared, 20000);
  values[0] = shared[0];
}

__global__ void overrunsShared(float* values) {
  SHARED(float, shared, 63);
  shared[threadIdx.x] = values[threadIdx.x];
}

template <class Body>
void checkReports(const std::string& words, Body body) {
  try {
    body();
    check(false, "not reported: " + words);
  } catch (const std::exception& error) {
    check(std::strstr(error.what(), words.c_str()) != nullptr, words + " reported as " + error.what());
  }
}

void testShim() {
  int reached[64] = {};
  float values[64] = {};
  for (const std::uint64_t seed : {0, 1, 5}) {
    shim::runSeed = seed;
    checkReports(
        "divergentBarrier deadlocks in block (0, 0): 32 threads have ended; 32 threads wait at the barrier of "
        "shim_test.cpp",
        [&] { LAUNCH(divergentBarrier, dim3(1), dim3(64), nullptr, reached); });
    checkReports("16 threads wait for their warp",
                 [&] { LAUNCH(divergentShuffle, dim3(1), dim3(32), nullptr, values); });
    checkReports("32 threads wait at the barrier", [&] { LAUNCH(twoBarriers, dim3(1), dim3(64), nullptr, values); });
  }
  shim::runSeed = 0;
  LAUNCH(readsBeforeWriting, dim3(1), dim3(64), nullptr, values);
  check(values[31] == 1.0f && std::isnan(values[32]), "shared memory begins as NaN");
  checkReports("80000 bytes of shared memory", [&] { LAUNCH(tooMuchShared, dim3(1), dim3(32), nullptr, values); });
  checkReports("a block of 48 threads", [&] { LAUNCH(readsBeforeWriting, dim3(1), dim3(48), nullptr, values); });
}

/// Whether anything differs, or hangs, in some order of running.
bool noticed(bool tensorCores) {
  for (const std::uint64_t order : {0, 1, 2, 3}) {
    shim::runSeed = order;
    for (const std::uint64_t seed : {2, 5}) {
      cuda::CudaBackend backend = shimBackend(tensorCores);
      Comparison compare(backend, tensorCores ? tensorTolerance : tolerance);
      try {
        if (tensorCores) compareAttention(compare, seed);
        else compareOperations(compare, seed);
      } catch (const shim::Deadlock&) {
        return true;
      }
      if (!compare.differences().empty()) return true;
    }
  }
  return false;
}

void testBarriersAreNeeded() {
  int seen = 0;
  for (const shim::Site& site : shim::barriersReached()) {
    if (site.file.ends_with("shim_test.cpp")) continue;
    shim::skipBarrier(site);
    check(noticed(site.file.ends_with("_bf16.cu")),
          "nobody notices without the barrier of " + site.file + ":" + std::to_string(site.line));
    shim::skipNoBarrier();
    seen++;
  }
  shim::runSeed = 0;
  std::printf("barriers left out one at a time: %d\n", seen);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "overrun") {
    std::vector<float> values(64);
    LAUNCH(overrunsShared, dim3(1), dim3(64), nullptr, values.data());
    return EXIT_SUCCESS;
  }
  testShim();
  const bool quick = mode == "quick";
  testOperations(quick);
  testTraining(quick);
  testBf16(quick);
  if (!quick) testBarriersAreNeeded();
  return report();
}
