#include <algorithm>
#include <numeric>

#include "../check.h"
#include "compare.h"

namespace actors::test {

namespace {

/// Draws sizes and values.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}
  Index between(Index low, Index high) {
    return low + static_cast<Index>(uniform(seed_, counter_++) * static_cast<double>(high - low + 1));
  }
  Index of(std::initializer_list<Index> choices) {
    return choices.begin()[between(0, static_cast<Index>(choices.size()) - 1)];
  }
  std::vector<float> floats(Index n, double scale = 1.0) { return randomFloats(n, seed_ * 1000 + counter_++, scale); }
  std::vector<float> zeros(Index n) { return std::vector<float>(static_cast<std::size_t>(n)); }
  std::vector<std::int32_t> integers(Index n, Index below) {
    std::vector<std::int32_t> list;
    for (Index i = 0; i < n; i++) list.push_back(static_cast<std::int32_t>(between(0, below - 1)));
    return list;
  }
  AttentionShape heads() {
    const Index kvHeads = between(1, 3);
    return {kvHeads * between(1, 3), kvHeads, of({2, 6, 24, 32, 34, 64, 80, 128, 160, 256})};
  }
  std::vector<std::int32_t> lengths() {
    std::vector<std::int32_t> starts = {0};
    for (Index i = between(1, 4); i-- > 0;)
      starts.push_back(starts.back() + static_cast<std::int32_t>(of({0, 1, 5, 63, 64, 65, 100, 130})));
    return starts;
  }

 private:
  std::uint64_t seed_, counter_ = 0;
};

std::string text(const AttentionShape& s) {
  return std::to_string(s.heads) + "/" + std::to_string(s.kvHeads) + " heads of " + std::to_string(s.headDim);
}

void compareRows(Comparison& compare, Draw& draw) {
  const Index rows = draw.between(1, 300), dim = draw.of({1, 3, 32, 33, 96, 257, 600}), table = draw.between(1, 40);
  const std::string size = std::to_string(rows) + " x " + std::to_string(dim);
  const std::vector<std::int32_t> places = draw.integers(rows, table);
  compare("gather " + size, {draw.floats(table * dim), draw.zeros(rows * dim)},
          [&](Backend& b, auto& p) { b.gather(p[0], places.data(), rows, dim, p[1]); });
  compare("scatterAdd " + size, {draw.floats(rows * dim), draw.floats(table * dim)},
          [&](Backend& b, auto& p) { b.scatterAdd(p[0], places.data(), rows, dim, p[1]); });
  compare("rmsNorm " + size, {draw.floats(rows * dim), draw.floats(dim), draw.zeros(rows * dim), draw.zeros(rows)},
          [&](Backend& b, auto& p) { b.rmsNorm(p[0], p[1], rows, dim, 1e-5, p[2], p[3]); });
  std::vector<float> rstd = draw.floats(rows);
  for (float& r : rstd) r = 1.0f + r * r;
  compare("rmsNormBackward " + size,
          {draw.floats(rows * dim), draw.floats(rows * dim), draw.floats(dim), rstd, draw.floats(rows * dim),
           draw.floats(dim)},
          [&](Backend& b, auto& p) { b.rmsNormBackward(p[0], p[1], p[2], p[3], rows, dim, p[4], p[5]); });
  compare("addBias " + size, {draw.floats(rows * dim), draw.floats(dim)},
          [&](Backend& b, auto& p) { b.addBias(p[0], p[1], rows, dim); });
  compare("sumRows " + size, {draw.floats(rows * dim), draw.floats(dim)},
          [&](Backend& b, auto& p) { b.sumRows(p[0], rows, dim, p[1]); });
  compare("scaleRows " + size, {draw.floats(rows * dim), draw.floats(rows)},
          [&](Backend& b, auto& p) { b.scaleRows(p[0], p[1], rows, dim); });
  // Of like signs, so that the sums do not cancel.
  std::vector<float> positive = draw.floats(rows * dim);
  for (float& x : positive) x = std::abs(x) + 0.1f;
  compare("rowDots " + size, {positive, positive, draw.zeros(rows)},
          [&](Backend& b, auto& p) { b.rowDots(p[0], p[1], rows, dim, p[2]); });
  compare("swiglu " + size, {draw.floats(2 * rows * dim, 8.0), draw.zeros(rows * dim)},
          [&](Backend& b, auto& p) { b.swiglu(p[0], rows, dim, p[1]); });
  compare("swigluBackward " + size,
          {draw.floats(2 * rows * dim, 8.0), draw.floats(rows * dim), draw.zeros(2 * rows * dim)},
          [&](Backend& b, auto& p) { b.swigluBackward(p[0], p[1], rows, dim, p[2]); });
}

void compareFlat(Comparison& compare, Draw& draw) {
  const Index n = draw.of({1, 255, 256, 16384, 16385, 40001});
  const std::string size = std::to_string(n);
  compare("add " + size, {draw.floats(n), draw.floats(n)}, [&](Backend& b, auto& p) { b.add(p[0], p[1], n); });
  compare("copy and zero " + size, {draw.floats(n), draw.floats(n)}, [&](Backend& b, auto& p) {
    b.copy(p[0], n, p[1]);
    b.zero(p[0], n / 2);
  });
  std::vector<float> second = draw.floats(n);
  for (float& v : second) v = v * v;
  compare("adamw " + size, {draw.floats(n), draw.floats(n), draw.floats(n), second},
          [&](Backend& b, auto& p) { b.adamw(p[0], p[1], p[2], p[3], n, {.lr = 1e-2, .beta2 = 0.95}, 7, 0.1, 0.5); });
  double sums[2] = {};
  int side = 0;
  compare("squaredNorm " + size, {draw.floats(n)}, [&](Backend& b, auto& p) { sums[side++] = b.squaredNorm(p[0], n); });
  compare.value("squaredNorm " + size, sums[1], sums[0]);
}

void compareProducts(Comparison& compare, Draw& draw) {
  const Index rows = draw.between(1, 40), out = draw.between(1, 50), in = draw.between(1, 50);
  const std::string size = std::to_string(rows) + " x " + std::to_string(out) + " x " + std::to_string(in);
  for (const bool accumulate : {false, true}) {
    compare("linear " + size, {draw.floats(rows * in), draw.floats(out * in), draw.floats(rows * out)},
            [&](Backend& b, auto& p) { b.linear(p[0], rows, {p[1], nullptr, out, in}, p[2], accumulate); });
    compare(
        "linearBackwardInput " + size, {draw.floats(rows * out), draw.floats(out * in), draw.floats(rows * in)},
        [&](Backend& b, auto& p) { b.linearBackwardInput(p[0], rows, {p[1], nullptr, out, in}, p[2], accumulate); });
  }
  compare("linear, packed, " + size, {draw.floats(rows * in), draw.floats(out * in), draw.floats(rows * out)},
          [&](Backend& b, auto& p) {
            Buffer packed(b.packedSize(out, in), b.memory());
            b.pack({p[1], nullptr, out, in}, packed.data());
            b.linear(p[0], rows, {nullptr, packed.data(), out, in}, p[2], false);
          });
  compare("linearBackwardWeight " + size, {draw.floats(rows * out), draw.floats(rows * in), draw.floats(out * in)},
          [&](Backend& b, auto& p) { b.linearBackwardWeight(p[0], p[1], rows, out, in, p[2]); });
}

void compareHeads(Comparison& compare, Draw& draw) {
  const AttentionShape shape = draw.heads();
  const Index rows = draw.between(1, 140), d = shape.headDim;
  const std::string size = std::to_string(rows) + " rows, " + text(shape);
  compare("headNorm " + size,
          {draw.floats(rows * shape.rowDim()), draw.floats(d), draw.floats(d), draw.zeros(rows * shape.rowDim())},
          [&](Backend& b, auto& p) { b.headNorm(p[0], {p[1], p[2], 1e-5}, rows, shape, p[3]); });
  compare("headNorm in place " + size, {draw.floats(rows * shape.rowDim()), draw.floats(d), draw.floats(d)},
          [&](Backend& b, auto& p) { b.headNorm(p[0], {p[1], p[2], 1e-5}, rows, shape, p[0]); });
  compare("headNormBackward " + size,
          {draw.floats(rows * shape.rowDim()), draw.floats(d), draw.floats(d), draw.floats(rows * shape.rowDim()),
           draw.floats(d), draw.floats(d)},
          [&](Backend& b, auto& p) { b.headNormBackward(p[0], {p[1], p[2], 1e-5}, rows, shape, p[3], p[4], p[5]); });
  ModelConfig config;
  config.headDim = d;
  RopeTable table(config);
  table.cover(3000);
  const std::vector<std::int32_t> positions = draw.integers(rows, 3000);
  for (const bool inverse : {false, true})
    compare("rope " + size, {draw.floats(rows * shape.rowDim())},
            [&](Backend& b, auto& p) { b.rope(p[0], rows, shape, positions.data(), table, inverse); });
}

void compareAttention(Comparison& compare, const AttentionShape& shape, Draw& draw) {
  const std::vector<std::int32_t> starts = draw.lengths();
  const Sequences sequences{starts.data(), static_cast<Index>(starts.size()) - 1, starts.back()};
  const Index rows = sequences.tokens;
  const std::string size = std::to_string(rows) + " rows in " + std::to_string(sequences.count) + ", " + text(shape);
  const std::vector<float> qkv = draw.floats(rows * shape.rowDim(), 1.5);
  compare("attention " + size, {qkv, draw.zeros(rows * shape.queryDim()), draw.zeros(rows * shape.heads)},
          [&](Backend& b, auto& p) { b.attention(p[0], sequences, shape, p[1], p[2]); });
  compare("attentionBackward " + size,
          {qkv, draw.zeros(rows * shape.queryDim()), draw.zeros(rows * shape.heads),
           draw.floats(rows * shape.queryDim()), draw.floats(rows * shape.rowDim())},
          [&](Backend& b, auto& p) {
            b.attention(p[0], sequences, shape, p[1], p[2]);
            b.attentionBackward(p[0], p[1], p[2], p[3], sequences, shape, p[4]);
          });
}

/// Pages lie differently in each backend, so only what attention makes of them is compared.
void compareCache(Comparison& compare, Draw& draw) {
  const AttentionShape shape = draw.heads();
  const Index sequences = draw.between(1, 4), length = draw.of({1, 15, 16, 17, 40, 90}), rows = sequences * length;
  const std::string size = std::to_string(sequences) + " x " + std::to_string(length) + ", " + text(shape);
  compare("cacheAttention " + size, {draw.floats(rows * shape.rowDim(), 1.5), draw.zeros(rows * shape.queryDim())},
          [&](Backend& b, auto& p) {
            const Index page = 2 * shape.kvDim() * b.pageTokens(), offset = page;  // of the second of two layers
            const Index each = (length + b.pageTokens() - 1) / b.pageTokens();
            Buffer memory(sequences * each * 2 * page, b.memory());
            std::vector<float*> pages;
            for (Index i = 0; i < sequences * each; i++) pages.push_back(memory.data() + i * 2 * page);
            std::vector<CachedRow> cached;
            for (Index i = 0; i < sequences; i++)
              for (Index position = 0; position < length; position++)
                cached.push_back({pages.data() + i * each, position + 1});
            b.cacheWrite(p[0], cached.data(), rows, shape, offset);
            b.cacheAttention(p[0], cached.data(), rows, shape, offset, p[1]);
          });
}

void compareLogits(Comparison& compare, Draw& draw) {
  const Index rows = draw.between(1, 9), vocab = draw.of({2, 31, 512, 513, 5003});
  const std::string size = std::to_string(rows) + " x " + std::to_string(vocab);
  const std::vector<std::int32_t> targets = draw.integers(rows, vocab);
  compare("logSoftmax " + size, {draw.floats(rows * vocab, 9.0), draw.zeros(rows), draw.zeros(rows), draw.zeros(rows)},
          [&](Backend& b, auto& p) { b.logSoftmax(p[0], targets.data(), rows, vocab, p[1], p[2], p[3]); });
  compare("logSoftmaxBackward " + size,
          {draw.floats(rows * vocab, 9.0), draw.zeros(rows), draw.zeros(rows), draw.zeros(rows), draw.floats(rows),
           draw.floats(rows)},
          [&](Backend& b, auto& p) {
            b.logSoftmax(p[0], targets.data(), rows, vocab, p[1], p[2], p[3]);
            b.logSoftmaxBackward(p[0], targets.data(), rows, vocab, p[3], p[2], p[4], p[5]);
          });
  float norms[2] = {};
  int side = 0;
  compare("softmax " + size, {draw.floats(vocab, 9.0)},
          [&](Backend& b, auto& p) { norms[side++] = b.softmax(p[0], vocab, 0.7); });
  compare.value("softmax " + size, norms[1], norms[0]);
}

void compareRouting(Comparison& compare, Draw& draw) {
  const std::vector<std::int32_t> starts = draw.lengths();
  const Sequences sequences{starts.data(), static_cast<Index>(starts.size()) - 1, starts.back()};
  const Index rows = sequences.tokens, count = draw.of({2, 5, 32, 33, 128});
  const Experts experts{count, draw.between(1, std::min<Index>(count, 8)), 0, draw.between(0, 1) == 1};
  const std::string size = std::to_string(rows) + " x " + std::to_string(count);
  std::vector<std::int32_t> chosen[2];
  int side = 0;
  for (const bool balanced : {false, true}) {
    side = 0;
    compare("route " + size,
            {draw.floats(rows * count, 3.0), draw.zeros(rows * experts.active), draw.floats(rows * experts.active),
             draw.floats(sequences.count * count), draw.zeros(rows * count)},
            [&](Backend& b, auto& p) {
              std::vector<std::int32_t>& mine = chosen[side++];
              mine.assign(static_cast<std::size_t>(rows * experts.active), -1);
              b.route(p[0], rows, experts, mine.data(), p[1]);
              b.routeBackward(p[0], mine.data(), p[2], balanced ? p[3] : nullptr, sequences, experts, p[4]);
            });
    compare.value("chosen experts " + size, chosen[0] == chosen[1] ? 0.0 : 1.0, 0.0);
  }
}

}  // namespace

void compareAttention(Comparison& compare, std::uint64_t seed) {
  Draw draw(seed);
  const Index kvHeads = draw.between(1, 2);
  compareAttention(compare, {kvHeads * draw.between(1, 2), kvHeads, draw.of({2, 24, 32, 34, 64, 80, 128})}, draw);
}

void compareOperations(Comparison& compare, std::uint64_t seed) {
  Draw draw(seed);
  compareRows(compare, draw);
  compareFlat(compare, draw);
  compareProducts(compare, draw);
  compareHeads(compare, draw);
  compareAttention(compare, draw.heads(), draw);
  compareCache(compare, draw);
  compareLogits(compare, draw);
  compareRouting(compare, draw);
}

}  // namespace actors::test
