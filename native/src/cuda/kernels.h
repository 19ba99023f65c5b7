#pragma once

#include <cstddef>
#include <cstdint>

// What the kernel files offer to the backend: each function puts its kernels into a stream and returns. Pointers are
// device memory. Nothing here uses atomics, so that every sum runs in an order fixed by shapes.

namespace actors::cuda {

using Index = std::ptrdiff_t;
using Stream = void*;  ///< a cudaStream_t

/// Heads of rows [q | k | v].
struct Heads {
  int heads, kvHeads, headDim;
  constexpr Index queryDim() const { return Index{heads} * headDim; }
  constexpr Index kvDim() const { return Index{kvHeads} * headDim; }
  constexpr Index rowDim() const { return queryDim() + 2 * kvDim(); }
};

/// A block of attention: tile `tile` of the sequence that owns rows [first, first + length).
struct AttentionPiece {
  std::int32_t first, length, tile;
};
constexpr int attentionTile = 64;  ///< queries, and keys, of a tile
constexpr int maxHeadDim = 256, maxTensorDim = 128;

/// AdamW scalars of one step; the corrections are 1 / (1 - beta^t).
struct AdamwStep {
  float lr, beta1, beta2, eps, weightDecay, correction1, correction2, gradScale;
};

constexpr int cachePage = 16;  ///< positions in one page of the key-value cache

/// Rows that columnSums and its like add up before their sums are added in turn.
constexpr int sumBlock = 128;
constexpr Index sumBlocks(Index rows) { return (rows + sumBlock - 1) / sumBlock; }

/// Values that one block of squaredNorm takes.
constexpr Index normBlock = 1 << 14;

namespace launch {

void rmsNorm(Stream, const float* x, const float* weight, Index rows, Index dim, float eps, float* y, float* rstd);
/// partial: sumBlocks(rows) * dim floats.
void rmsNormBackward(Stream, const float* dy, const float* x, const float* weight, const float* rstd, Index rows,
                     Index dim, float* dx, float* dWeight, float* partial);

void headNorm(Stream, const float* qkv, const float* query, const float* key, float eps, Index rows, Heads, float* out);
/// rstd: rows * (heads + kvHeads) floats; partial: sumBlocks(rows) * 2 * headDim floats.
void headNormBackward(Stream, const float* qkv, const float* query, const float* key, float eps, Index rows, Heads,
                      float* dQkv, float* dQuery, float* dKey, float* rstd, float* partial);

void rope(Stream, float* qkv, Index rows, Heads, const std::int32_t* positions, const float* frequencies,
          float direction);

void swiglu(Stream, const float* gateUp, Index rows, Index ffn, float* act);
void swigluBackward(Stream, const float* gateUp, const float* dAct, Index rows, Index ffn, float* dGateUp);

void attention(Stream, const float* qkv, const AttentionPiece* pieces, Index count, Heads, float* out, float* lse);
/// delta: rows * heads floats.
void attentionBackward(Stream, const float* qkv, const float* out, const float* lse, const float* dOut,
                       const AttentionPiece* pieces, Index count, Index rows, Heads, float* dQkv, float* delta);

/// The same with operands rounded to bf16, on tensor cores, for heads of at most 128.
void attentionBf16(Stream, const float* qkv, const AttentionPiece* pieces, Index count, Heads, float* out, float* lse);
void attentionBackwardBf16(Stream, const float* qkv, const float* out, const float* lse, const float* dOut,
                           const AttentionPiece* pieces, Index count, Index rows, Heads, float* dQkv, float* delta);
void attentionDeltas(Stream, const float* out, const float* dOut, Index rows, Heads, float* delta);

/// Pages of row r begin at pages[first[r]]; it sees `visible[r]` positions.
void cacheWrite(Stream, const float* qkv, float* const* pages, const std::int32_t* first, const std::int32_t* visible,
                Index rows, Heads, Index layerOffset);
void cacheAttention(Stream, const float* qkv, float* const* pages, const std::int32_t* first,
                    const std::int32_t* visible, Index rows, Heads, Index layerOffset, float* out);

void logSoftmax(Stream, const float* logits, const std::int32_t* targets, Index rows, Index vocab, float* logp,
                float* entropy, float* lse);
void logSoftmaxBackward(Stream, float* logits, const std::int32_t* targets, Index rows, Index vocab, const float* lse,
                        const float* entropy, const float* gLogp, const float* gEntropy);
/// One row, in place; lse: one float.
void softmax(Stream, float* logits, Index vocab, float scale, float* lse);

void route(Stream, float* logits, Index rows, Index experts, Index active, bool normalized, std::int32_t* chosen,
           float* weights);
/// sequenceOf [rows] is read where balance [sequences, experts] is given.
void routeBackward(Stream, const float* probabilities, const std::int32_t* chosen, const float* dWeights,
                   const float* balance, const std::int32_t* sequenceOf, Index rows, Index experts, Index active,
                   bool normalized, float* dLogits);

void gather(Stream, const float* table, const std::int32_t* rows, Index count, Index dim, float* y);
/// table[target[i]] += y[source[starts[i]]] + ... + y[source[starts[i + 1] - 1]], for `count` different targets.
void scatterAdd(Stream, const float* y, const std::int32_t* target, const std::int32_t* starts,
                const std::int32_t* source, Index count, Index dim, float* table);

void addBias(Stream, float* y, const float* bias, Index rows, Index dim);
void scaleRows(Stream, float* x, const float* scales, Index rows, Index dim);
void rowDots(Stream, const float* a, const float* b, Index rows, Index dim, float* dots);
void add(Stream, float* y, const float* x, Index n);

/// sums [dim] += the sum of x's rows. partial: sumBlocks(rows) * dim floats.
void columnSums(Stream, const float* x, Index rows, Index dim, float* sums, float* partial);
/// total [dim] += the sum over blocks, in order, of the first dim of each `stride` floats of partial.
void addPartials(Stream, const float* partial, Index blocks, Index stride, Index dim, float* total);
/// result: one double. partial: one float for each normBlock values.
void squaredNorm(Stream, const float* x, Index n, float* partial, double* result);

void adamw(Stream, float* p, const float* g, float* m, float* v, Index n, const AdamwStep& step);

/// fp32 rounded to bf16, to nearest, ties to even.
void toBf16(Stream, const float* x, Index n, std::uint16_t* y);

}  // namespace launch
}  // namespace actors::cuda
