#pragma once

#include <memory>
#include <vector>

#include "actors/backend.h"
#include "device.h"

namespace actors::cuda {

/// The backend of a CUDA device. Weights, moments and activations are fp32; with `bf16` the operands of matrix
/// products, attention's included, are rounded to bf16 on their way there. Sums run in an order fixed by shapes, except
/// that cuBLAS chooses how to multiply by the number of rows: a row of a product may depend on how many rows it came
/// with.
class CudaBackend final : public Backend {
 public:
  CudaBackend(std::unique_ptr<Device> device, bool bf16);

  const char* name() const override { return device_->name(); }
  Memory& memory() override { return *device_; }
  void copy(const float* x, Index n, float* y) override;
  void upload(const float* host, Index n, float* x) override;
  void download(const float* x, Index n, float* host) override;
  Index logitFloats() const override { return Index{1} << 28; }
  Index packedSize(Index out, Index in) const override;
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
                     const float* balance, const Sequences& sequences, const Experts& experts, float* dLogits) override;
  void scaleRows(float* x, const float* scales, Index rows, Index dim) override;
  void rowDots(const float* a, const float* b, Index rows, Index dim, float* dots) override;
  void logSoftmax(const float* logits, const std::int32_t* targets, Index rows, Index vocab, float* logp,
                  float* entropy, float* lse) override;
  void logSoftmaxBackward(float* logits, const std::int32_t* targets, Index rows, Index vocab, const float* lse,
                          const float* entropy, const float* gLogp, const float* gEntropy) override;
  float softmax(float* logits, Index vocab, double scale) override;
  void add(float* y, const float* x, Index n) override;
  void zero(float* x, Index n) override;
  double squaredNorm(const float* x, Index n) override;
  void adamw(float* p, const float* g, float* m, float* v, Index n, const AdamwOptions& options, std::int64_t step,
             double weightDecay, double gradScale) override;
  Index pageTokens() const override { return cachePage; }
  void cacheWrite(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                  Index layerOffset) override;
  void cacheAttention(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                      Index layerOffset, float* out) override;

 private:
  /// A copy of host values in `to`, until the next one there.
  template <class T>
  const T* upload(Buffer& to, const T* values, Index count);
  template <class T>
  const T* upload(Buffer& to, const std::vector<T>& values) {
    return upload(to, values.data(), static_cast<Index>(values.size()));
  }
  /// `values` as an operand: itself, or rounded into `half`.
  const void* operand(const float* values, Index n, Buffer& half);
  /// A weight matrix as an operand: its packed copy where there is one.
  const void* operand(const Linear& matrix);
  const AttentionPiece* pieces(const Sequences& sequences, Index& count);
  bool onTensorCores(const AttentionShape& shape) const { return bf16_ && shape.headDim <= maxTensorDim; }
  struct CacheTables;
  CacheTables cacheTables(const CachedRow* rows, Index count);

  std::unique_ptr<Device> device_;
  bool bf16_;
  Buffer integers_, floats_, pointers_;  ///< what calls bring from the host
  Buffer scratch_, leftHalf_, rightHalf_;
};

}  // namespace actors::cuda
