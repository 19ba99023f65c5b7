#include "backend.h"

#include <cmath>
#include <cstring>

namespace actors {

std::unique_ptr<Backend> makeCpuBackend(int threads) { return std::make_unique<cpu::CpuBackend>(threads); }

}  // namespace actors

namespace actors::cpu {

namespace {
constexpr Index rowGrain = 32;  ///< rows below which another thread is not worth waking
constexpr Index flatGrain = 1 << 16;
constexpr Index productGrain = 1 << 17;  ///< multiply-adds, likewise
}  // namespace

void CpuBackend::pack(const Linear& matrix, float* packed) {
  k_.packTransposed(matrix.weight, matrix.in, matrix.out, matrix.in, packed);
}

void CpuBackend::gather(const float* table, const std::int32_t* rows, Index count, Index dim, float* y) {
  for (Index i = 0; i < count; i++) {
    std::memcpy(y + i * dim, table + rows[i] * dim, static_cast<std::size_t>(dim) * sizeof(float));
  }
}

void CpuBackend::scatterAdd(const float* y, const std::int32_t* rows, Index count, Index dim, float* table) {
  // Rows may repeat and so collide: one thread, in order.
  for (Index i = 0; i < count; i++) k_.add(table + rows[i] * dim, y + i * dim, dim);
}

void CpuBackend::rmsNorm(const float* x, const float* weight, Index rows, Index dim, double eps, float* y,
                         float* rstd) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    k_.rmsNorm(x + first * dim, weight, y + first * dim, rstd == nullptr ? nullptr : rstd + first, last - first, dim,
               static_cast<float>(eps));
  });
}

void CpuBackend::rmsNormBackward(const float* dy, const float* x, const float* weight, const float* rstd, Index rows,
                                 Index dim, float* dx, float* dWeight) {
  sumBlocks(rows, dim, dWeight, [&](Index first, Index last, float* sums, int) {
    const Index at = first * dim;
    k_.rmsNormBackward(dy + at, x + at, weight, rstd + first, dx + at, sums, last - first, dim);
  });
}

void CpuBackend::multiplyRows(const float* a, Index rows, Index depth, const float* packed, Index columns, float* c,
                              bool accumulate) {
  // A few rows, as in decoding, stream the whole matrix: cut that, not them.
  if (rows < rowGrain * workers_.count()) {
    const Index grain = 1 + productGrain / (rows * depth * panelWidth + 1);
    slices((columns + panelWidth - 1) / panelWidth, grain, [&](Index first, Index last, int) {
      const Index from = first * panelWidth;
      k_.gemm(rows, std::min(last * panelWidth, columns) - from, depth, a, depth, 1, packed + from * depth,
              depth * panelWidth, c + from, columns, accumulate);
    });
    return;
  }
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    k_.gemm(last - first, columns, depth, a + first * depth, depth, 1, packed, depth * panelWidth, c + first * columns,
            columns, accumulate);
  });
}

void CpuBackend::linear(const float* x, Index rows, const Linear& matrix, float* y, bool accumulate) {
  const float* packed = matrix.packed;
  if (packed == nullptr) {
    float* fresh = packed_.reserve(packedSize(matrix.out, matrix.in));
    pack(matrix, fresh);
    packed = fresh;
  }
  multiplyRows(x, rows, matrix.in, packed, matrix.out, y, accumulate);
}

void CpuBackend::linearBackwardInput(const float* dy, Index rows, const Linear& matrix, float* dx, bool accumulate) {
  float* packed = packed_.reserve(packedSize(matrix.in, matrix.out));
  k_.pack(matrix.weight, matrix.out, matrix.in, matrix.in, packed);
  multiplyRows(dy, rows, matrix.out, packed, matrix.in, dx, accumulate);
}

void CpuBackend::linearBackwardWeight(const float* dy, const float* x, Index rows, Index out, Index in, float* dW) {
  float* packed = packed_.reserve(packedSize(in, rows));
  k_.pack(x, rows, in, in, packed);
  slices(out, rowGrain, [&](Index first, Index last, int) {
    k_.gemm(last - first, in, rows, dy + first, 1, out, packed, rows * panelWidth, dW + first * in, in, true);
  });
}

void CpuBackend::addBias(float* y, const float* bias, Index rows, Index dim) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    for (Index row = first; row < last; row++) k_.add(y + row * dim, bias, dim);
  });
}

void CpuBackend::sumRows(const float* x, Index rows, Index dim, float* sums) {
  sumBlocks(rows, dim, sums, [&](Index first, Index last, float* block, int) {
    for (Index row = first; row < last; row++) k_.add(block, x + row * dim, dim);
  });
}

void CpuBackend::rope(float* qkv, Index rows, const AttentionShape& shape, const std::int32_t* positions,
                      const RopeTable& table, bool inverse) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    for (Index row = first; row < last; row++) {
      // q and k heads are adjacent, so both rotate in one call.
      k_.rope(qkv + row * shape.rowDim(), shape.heads + shape.kvHeads, shape.headDim,
              table.cosine(positions[row]), table.sine(positions[row]),
              inverse ? -1.0f : 1.0f);
    }
  });
}

void CpuBackend::swiglu(const float* gateUp, Index rows, Index ffn, float* act) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    k_.swiglu(gateUp + first * 2 * ffn, act + first * ffn, last - first, ffn);
  });
}

void CpuBackend::swigluBackward(const float* gateUp, const float* dAct, Index rows, Index ffn, float* dGateUp) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    k_.swigluBackward(gateUp + first * 2 * ffn, dAct + first * ffn, dGateUp + first * 2 * ffn, last - first, ffn);
  });
}

void CpuBackend::logSoftmax(const float* logits, const std::int32_t* targets, Index rows, Index vocab, float* logp,
                            float* entropy, float* lse) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    for (Index row = first; row < last; row++) {
      k_.logSoftmax(logits + row * vocab, vocab, targets[row], logp + row, entropy + row, lse + row);
    }
  });
}

void CpuBackend::logSoftmaxBackward(float* logits, const std::int32_t* targets, Index rows, Index vocab,
                                    const float* lse, const float* entropy, const float* gLogp, const float* gEntropy) {
  slices(rows, rowGrain, [&](Index first, Index last, int) {
    for (Index row = first; row < last; row++) {
      k_.logSoftmaxBackward(logits + row * vocab, vocab, targets[row], lse[row], entropy[row], gLogp[row],
                            gEntropy[row]);
    }
  });
}

void CpuBackend::add(float* y, const float* x, Index n) {
  slices(n, flatGrain, [&](Index first, Index last, int) { k_.add(y + first, x + first, last - first); });
}

void CpuBackend::copy(const float* x, Index n, float* y) {
  std::memcpy(y, x, static_cast<std::size_t>(n) * sizeof(float));
}

void CpuBackend::zero(float* x, Index n) { std::memset(x, 0, static_cast<std::size_t>(n) * sizeof(float)); }

double CpuBackend::squaredNorm(const float* x, Index n) { return k_.squaredNorm(x, n); }

void CpuBackend::adamw(float* p, const float* g, float* m, float* v, Index n, const AdamwOptions& o, std::int64_t step,
                       double weightDecay, double gradScale) {
  const double power = static_cast<double>(step);
  const AdamwStep scalars = {static_cast<float>(o.lr),
                             static_cast<float>(o.beta1),
                             static_cast<float>(o.beta2),
                             static_cast<float>(o.eps),
                             static_cast<float>(weightDecay),
                             static_cast<float>(1.0 / (1.0 - std::pow(o.beta1, power))),
                             static_cast<float>(1.0 / (1.0 - std::pow(o.beta2, power))),
                             static_cast<float>(gradScale)};
  slices(n, flatGrain, [&](Index first, Index last, int) {
    k_.adamw(p + first, g + first, m + first, v + first, last - first, scalars);
  });
}

}  // namespace actors::cpu
