#pragma once

#include <algorithm>
#include <vector>

#include "actors/backend.h"
#include "kernels.h"
#include "workers.h"

namespace actors::cpu {

/// The reference backend: loops of kernels.inl spread over rows, heads or columns.
class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads)
      : k_(kernels()), workers_(threads), scratch_(static_cast<std::size_t>(workers_.count())) {}

  const char* name() const override { return k_.name; }
  Memory& memory() override { return hostMemory(); }
  void copy(const float* x, Index n, float* y) override;
  void upload(const float* host, Index n, float* x) override { copy(host, n, x); }
  void download(const float* x, Index n, float* host) override { copy(x, n, host); }
  Index logitFloats() const override { return 1 << 20; }
  Index packedSize(Index out, Index in) const override { return (out + panelWidth - 1) / panelWidth * panelWidth * in; }
  void pack(const Linear& matrix, float* packed) override;

  void gather(const float* table, const std::int32_t* rows, Index count, Index dim, float* y) override;
  void scatterAdd(const float* y, const std::int32_t* rows, Index count, Index dim, float* table) override;
  void rmsNorm(const float* x, const float* weight, Index rows, Index dim, double eps, float* y, float* rstd) override;
  void rmsNormBackward(const float* dy, const float* x, const float* weight, const float* rstd, Index rows, Index dim,
                       float* dx, float* dWeight) override;
  void linear(const float* x, Index rows, const Linear& matrix, float* y, bool accumulate) override;
  void linearBackwardInput(const float* dy, Index rows, const Linear& matrix, float* dx, bool accumulate) override;
  void linearBackwardWeight(const float* dy, const float* x, Index rows, Index out, Index in, float* dW) override;
  void addBias(float* y, const float* bias, Index rows, Index dim) override;
  void sumRows(const float* x, Index rows, Index dim, float* sums) override;
  void headNorm(const float* qkv, const HeadNorm& norm, Index rows, const AttentionShape& shape, float* out) override;
  void headNormBackward(const float* qkv, const HeadNorm& norm, Index rows, const AttentionShape& shape, float* dQkv,
                        float* dQuery, float* dKey) override;
  void rope(float* qkv, Index rows, const AttentionShape& shape, const std::int32_t* positions, const RopeTable& table,
            bool inverse) override;
  void attention(const float* qkv, const Sequences& sequences, const AttentionShape& shape, float* out,
                 float* lse) override;
  void attentionBackward(const float* qkv, const float* out, const float* lse, const float* dOut,
                         const Sequences& sequences, const AttentionShape& shape, float* dQkv) override;
  void swiglu(const float* gateUp, Index rows, Index ffn, float* act) override;
  void swigluBackward(const float* gateUp, const float* dAct, Index rows, Index ffn, float* dGateUp) override;
  void route(float* logits, Index rows, const Experts& experts, std::int32_t* chosen, float* weights) override;
  void routeBackward(const float* probabilities, const std::int32_t* chosen, const float* dWeights,
                     const float* balance, const Sequences& sequences, const Experts& experts,
                     float* dLogits) override;
  void scaleRows(float* x, const float* scales, Index rows, Index dim) override;
  void rowDots(const float* a, const float* b, Index rows, Index dim, float* dots) override;
  void logSoftmax(const float* logits, const std::int32_t* targets, Index rows, Index vocab, float* logp,
                  float* entropy, float* lse) override;
  void logSoftmaxBackward(float* logits, const std::int32_t* targets, Index rows, Index vocab, const float* lse,
                          const float* entropy, const float* gLogp, const float* gEntropy) override;
  float softmax(float* logits, Index vocab, double scale) override {
    return k_.softmax(logits, vocab, static_cast<float>(scale));
  }
  void add(float* y, const float* x, Index n) override;
  void zero(float* x, Index n) override;
  double squaredNorm(const float* x, Index n) override;
  void adamw(float* p, const float* g, float* m, float* v, Index n, const AdamwOptions& options, std::int64_t step,
             double weightDecay, double gradScale) override;
  Index pageTokens() const override { return pageSize; }
  void cacheWrite(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                  Index layerOffset) override;
  void cacheAttention(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                      Index layerOffset, float* out) override;

 private:
  /// body(first, last, worker) over slices of [0, n) whose bounds are multiples of `grain`.
  template <class Body>
  void slices(Index n, Index grain, Body body) {
    const Index perWorker = (n / grain + workers_.count()) / workers_.count() * grain;
    const Index size = std::max(grain, perWorker);
    workers_.parallel((n + size - 1) / size,
                      [&](Index piece, int worker) { body(piece * size, std::min(n, (piece + 1) * size), worker); });
  }
  /// body(first, last, sums) over fixed blocks of rows, each with its own zeroed sums [dim], which are then added to
  /// `total` in order: the same bits for every number of threads.
  template <class Body>
  void sumBlocks(Index rows, Index dim, float* total, Body body) {
    constexpr Index block = 256;
    const Index blocks = (rows + block - 1) / block;
    float* sums = partial_.reserve(blocks * dim);
    workers_.parallel(blocks, [&](Index piece, int worker) {
      zero(sums + piece * dim, dim);
      body(piece * block, std::min(rows, (piece + 1) * block), sums + piece * dim, worker);
    });
    for (Index piece = 0; piece < blocks; piece++) k_.add(total, sums + piece * dim, dim);
  }
  float* scratch(int worker, Index floats) { return scratch_[static_cast<std::size_t>(worker)].reserve(floats); }
  void multiplyRows(const float* a, Index rows, Index depth, const float* packed, Index columns, float* c,
                    bool accumulate);
  void headForward(const float* qkv, Index first, Index length, Index head, const AttentionShape& shape, float* out,
                   float* lse, float* scratch);
  void headBackward(const float* qkv, const float* lse, const float* dOut, Index first, Index length, Index kvHead,
                    const AttentionShape& shape, float* dQkv, float* scratch);

  const Kernels& k_;
  Workers workers_;
  std::vector<Buffer> scratch_;  ///< one a worker
  Buffer partial_;               ///< of sumBlocks
  Buffer headWeights_;           ///< weight gradients of headNormBackward
  Buffer packed_;                ///< right-hand matrix of the multiplication in progress
};

}  // namespace actors::cpu
