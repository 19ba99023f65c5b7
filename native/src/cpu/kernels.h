#pragma once

#include <cstddef>

namespace actors::cpu {

using Index = std::ptrdiff_t;

/// Columns of one packed panel of a right-hand matrix: a panel is [depth][panelWidth], zero padded.
/// The same on every instruction set, so that packed weights have one layout.
constexpr Index panelWidth = 32;

/// Positions in one page of the key-value cache.
constexpr Index pageSize = 16;

/// AdamW scalars of one step; the corrections are 1 / (1 - beta^t).
struct AdamwStep {
  float lr, beta1, beta2, eps, weightDecay, correction1, correction2, gradScale;
};

/// The inner loops, compiled once for each instruction set from kernels.inl and chosen when the program starts.
/// Every sum runs in an order fixed by the shapes alone, and a row's result never depends on other rows.
struct Kernels {
  const char* name;

  /// B [depth, n] (row stride ld) into panels.
  void (*pack)(const float* b, Index depth, Index n, Index ld, float* packed);
  /// Transposed B: rows are columns, [n, depth] (row stride ld) into panels. Weights [out, in] are packed so.
  void (*packTransposed)(const float* b, Index depth, Index n, Index ld, float* packed);
  /// C [m, n] = (or +=) A . B; A(i, k) = a[i * rowStride + k * depthStride], where one of the strides is 1.
  void (*gemm)(Index m, Index n, Index depth, const float* a, Index rowStride, Index depthStride, const float* packed,
               Index panelStride, float* c, Index ldc, bool accumulate);

  void (*rmsNorm)(const float* x, const float* weight, float* y, float* rstd, Index rows, Index dim, float eps);
  /// dx += gradient; dWeight += gradient, rows in order.
  void (*rmsNormBackward)(const float* dy, const float* x, const float* weight, const float* rstd, float* dx,
                          float* dWeight, Index rows, Index dim);
  /// Rotates `heads` heads of one row in place; direction -1 is the inverse (backward).
  void (*rope)(float* row, Index heads, Index headDim, const float* cosine, const float* sine, float direction);
  /// act [rows, ffn] = silu(gate) * up; gateUp rows are [gate | up].
  void (*swiglu)(const float* gateUp, float* act, Index rows, Index ffn);
  void (*swigluBackward)(const float* gateUp, const float* dAct, float* dGateUp, Index rows, Index ffn);

  /// scores[0..n) = softmax(scale * scores); returns the log of the normaliser.
  float (*softmax)(float* scores, Index n, float scale);
  /// p = exp(scale * scores - lse), zero from n to width.
  void (*softmaxReplay)(float* scores, Index n, Index width, float scale, float lse);
  /// dScores = scale * p * (dP - sum(p * dP)), zero from n to width; dP is overwritten.
  void (*softmaxBackward)(const float* p, float* dP, Index n, Index width, float scale);

  /// One row of logits to log p(target), entropy and the log of the normaliser.
  void (*logSoftmax)(const float* logits, Index n, Index target, float* logp, float* entropy, float* lse);
  /// In place: logits become d loss / d logits for loss gradients gLogp (of log p(target)) and gEntropy.
  void (*logSoftmaxBackward)(float* logits, Index n, Index target, float lse, float entropy, float gLogp,
                             float gEntropy);

  /// Attention of one query head over cached pages: out [headDim]. keys/values of page i start at pages[i] + offset:
  /// keys [headDim][pageSize], then values [pageSize][headDim]. scores holds at least n rounded up to pageSize.
  void (*attendCached)(const float* query, const float* const* pages, Index offset, Index n, Index headDim, float scale,
                       float* scores, float* out);

  void (*add)(float* y, const float* x, Index n);
  void (*scale)(float* x, float factor, Index n);
  float (*dot)(const float* a, const float* b, Index n);
  double (*squaredNorm)(const float* x, Index n);
  void (*adamw)(float* p, const float* g, float* m, float* v, Index n, const AdamwStep& step);
  /// Sum over ranks in rank order: out[i] = sources[0][i] + sources[1][i] + ...
  void (*sumRanks)(const float* const* sources, Index ranks, float* out, Index n);
};

/// The fastest set this processor can run. ACTORS_ISA=generic|avx2|avx512 lowers it (for tests).
const Kernels& kernels();

/// A set by name, or null when this build or processor lacks it.
const Kernels* findKernels(const char* name);

}  // namespace actors::cpu
