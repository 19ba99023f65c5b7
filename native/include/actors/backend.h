#pragma once

#include <cstdint>
#include <memory>

#include "actors/memory.h"
#include "actors/model.h"

namespace actors {

/// A weight matrix [out, in], row-major, with an optional copy in the layout the backend multiplies fastest.
struct Linear {
  const float* weight = nullptr;
  const float* packed = nullptr;
  Index out = 0;
  Index in = 0;
};

/// Packed sequences in one [tokens, ...] buffer: sequence i owns rows starts[i] to starts[i + 1].
struct Sequences {
  const std::int32_t* starts = nullptr;
  Index count = 0;
  Index tokens = 0;
};

/// Query and key-value head layout of rows [q | k | v].
struct AttentionShape {
  Index heads, kvHeads, headDim;
  Index queryDim() const { return heads * headDim; }
  Index kvDim() const { return kvHeads * headDim; }
  Index rowDim() const { return queryDim() + 2 * kvDim(); }
};

/// Weights [headDim] of the RMS norms of query and key heads.
struct HeadNorm {
  const float *query = nullptr, *key = nullptr;
  double eps = 0.0;
};

/// One row of a decode or prefill step: its cache pages and how many positions it may attend to, itself included.
struct CachedRow {
  float* const* pages = nullptr;
  Index visible = 0;
};

/// AdamW (Loshchilov & Hutter 2019): decoupled decay, bias-corrected moments.
struct AdamwOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weightDecay = 0.0;
  double maxGradNorm = 0.0;  ///< 0: no clipping
};

/// The seam between model code and arithmetic: everything that touches a tensor. `cpu` is the reference; a GPU backend
/// implements the same calls on device memory. Pointers are the backend's own memory unless a comment says host.
///
/// Contract: sums run in an order fixed by shapes alone; a row's result never depends on the other rows of the call.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;

  virtual Memory& memory() = 0;
  virtual void copy(const float* x, Index n, float* y) = 0;
  virtual void upload(const float* host, Index n, float* x) = 0;
  /// Waits for what was asked for before.
  virtual void download(const float* x, Index n, float* host) = 0;
  /// Floats of logits worth holding at once; large vocabularies are cut into blocks of rows.
  virtual Index logitFloats() const = 0;

  /// Floats that the packed copy of a [out, in] matrix takes; pack() writes it.
  virtual Index packedSize(Index out, Index in) const = 0;
  virtual void pack(const Linear& matrix, float* packed) = 0;

  /// y [count, dim] = table[rows]; rows are host memory and already checked.
  virtual void gather(const float* table, const std::int32_t* rows, Index count, Index dim, float* y) = 0;
  /// table[rows] += y, in order where rows repeat.
  virtual void scatterAdd(const float* y, const std::int32_t* rows, Index count, Index dim, float* table) = 0;

  /// rstd [rows] may be null when no backward follows.
  virtual void rmsNorm(const float* x, const float* weight, Index rows, Index dim, double eps, float* y,
                       float* rstd) = 0;
  /// dx += and dWeight +=.
  virtual void rmsNormBackward(const float* dy, const float* x, const float* weight, const float* rstd, Index rows,
                               Index dim, float* dx, float* dWeight) = 0;

  /// y [rows, out] (+)= x [rows, in] . W^T
  virtual void linear(const float* x, Index rows, const Linear& matrix, float* y, bool accumulate) = 0;
  /// dx [rows, in] (+)= dy [rows, out] . W
  virtual void linearBackwardInput(const float* dy, Index rows, const Linear& matrix, float* dx, bool accumulate) = 0;
  /// dW [out, in] += dy^T . x
  virtual void linearBackwardWeight(const float* dy, const float* x, Index rows, Index out, Index in, float* dW) = 0;

  /// y [rows, dim] += bias
  virtual void addBias(float* y, const float* bias, Index rows, Index dim) = 0;
  /// sums [dim] += the sum of x's rows
  virtual void sumRows(const float* x, Index rows, Index dim, float* sums) = 0;

  /// Rows [q | k | v] with every query and key head RMS-normalised; out may be qkv.
  virtual void headNorm(const float* qkv, const HeadNorm& norm, Index rows, const AttentionShape& shape,
                        float* out) = 0;
  /// dQkv, the gradient of the normalised rows, becomes that of qkv in place; weight gradients are added to.
  virtual void headNormBackward(const float* qkv, const HeadNorm& norm, Index rows, const AttentionShape& shape,
                                float* dQkv, float* dQuery, float* dKey) = 0;

  /// Rotates the q and k heads of rows [q | k | v] in place; positions are host memory, covered by the table.
  virtual void rope(float* qkv, Index rows, const AttentionShape& shape, const std::int32_t* positions,
                    const RopeTable& table, bool inverse) = 0;

  /// Causal attention within each sequence. out [tokens, queryDim], lse [tokens, heads] for the backward pass.
  virtual void attention(const float* qkv, const Sequences& sequences, const AttentionShape& shape, float* out,
                         float* lse) = 0;
  virtual void attentionBackward(const float* qkv, const float* out, const float* lse, const float* dOut,
                                 const Sequences& sequences, const AttentionShape& shape, float* dQkv) = 0;

  /// act [rows, ffn] = silu(gate) * up with rows [gate | up].
  virtual void swiglu(const float* gateUp, Index rows, Index ffn, float* act) = 0;
  virtual void swigluBackward(const float* gateUp, const float* dAct, Index rows, Index ffn, float* dGateUp) = 0;

  /// Logits [rows, experts] become probabilities; chosen (host memory) and weights [rows, active] are the likeliest
  /// experts of each row and their shares, likeliest first, of equals the lower index.
  virtual void route(float* logits, Index rows, const Experts& experts, std::int32_t* chosen, float* weights) = 0;
  /// dLogits [rows, experts] from the gradient of the weights, and of the probabilities: `balance` [sequences, experts]
  /// for each row of a sequence, or null.
  virtual void routeBackward(const float* probabilities, const std::int32_t* chosen, const float* dWeights,
                             const float* balance, const Sequences& sequences, const Experts& experts,
                             float* dLogits) = 0;
  /// x [rows, dim] *= scales [rows]
  virtual void scaleRows(float* x, const float* scales, Index rows, Index dim) = 0;
  /// dots [rows] = a . b, row by row
  virtual void rowDots(const float* a, const float* b, Index rows, Index dim, float* dots) = 0;

  /// For each row of logits: log p(target), entropy and the log of the normaliser. targets are host memory.
  virtual void logSoftmax(const float* logits, const std::int32_t* targets, Index rows, Index vocab, float* logp,
                          float* entropy, float* lse) = 0;
  /// Turns logits into their gradient in place, given the loss gradients of logp and entropy for each row.
  virtual void logSoftmaxBackward(float* logits, const std::int32_t* targets, Index rows, Index vocab, const float* lse,
                                  const float* entropy, const float* gLogp, const float* gEntropy) = 0;

  /// One row of logits becomes softmax(scale * logits); returns the log of the normaliser.
  virtual float softmax(float* logits, Index vocab, double scale) = 0;

  virtual void add(float* y, const float* x, Index n) = 0;
  virtual void zero(float* x, Index n) = 0;
  virtual double squaredNorm(const float* x, Index n) = 0;
  /// One AdamW step over n floats; `step` counts from 1, gradients are multiplied by gradScale first.
  virtual void adamw(float* p, const float* g, float* m, float* v, Index n, const AdamwOptions& options,
                     std::int64_t step, double weightDecay, double gradScale) = 0;

  /// Positions of one page of the cache.
  virtual Index pageTokens() const = 0;
  /// Stores k and v of rows [q | k | v] at position visible - 1 of each row's pages, at `layerOffset` within a page.
  virtual void cacheWrite(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                          Index layerOffset) = 0;
  /// out [count, queryDim]: attention of each row over its cached positions.
  virtual void cacheAttention(const float* qkv, const CachedRow* rows, Index count, const AttentionShape& shape,
                              Index layerOffset, float* out) = 0;
};

/// The CPU reference. threads >= 1; results are the same for every thread count.
std::unique_ptr<Backend> makeCpuBackend(int threads);

/// The CUDA backend of libactors_cuda, which lies beside the file that holds this function; `bf16`: the operands of
/// matrix products are rounded to it. Throws Unsupported, "no CUDA device: ...", with what would help.
std::unique_ptr<Backend> makeCudaBackend(int device, bool bf16);

}  // namespace actors
