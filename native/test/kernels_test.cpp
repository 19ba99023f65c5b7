// Every kernel of every instruction set this processor has, against plain fp64 loops (relative L2 below 1e-5), and the
// promise that a row's result does not depend on the other rows, bit for bit.
#include "cpu/kernels.h"

#include <cstring>

#include "check.h"

using namespace actors;
using namespace actors::test;
using cpu::Kernels;

namespace {

constexpr double tolerance = 1e-5;

std::vector<float> packed(const Kernels& k, const std::vector<float>& b, Index depth, Index n, bool transposed) {
  std::vector<float> panels(
      static_cast<std::size_t>((n + cpu::panelWidth - 1) / cpu::panelWidth * cpu::panelWidth * depth + 1), 7.0f);
  if (transposed) k.packTransposed(b.data(), depth, n, depth, panels.data());
  else k.pack(b.data(), depth, n, n, panels.data());
  return panels;
}

void testGemm(const Kernels& k) {
  const Index sizes[][3] = {{1, 1, 1},      {1, 33, 7},    {3, 96, 96},  {8, 32, 16}, {13, 65, 300},
                            {130, 600, 20}, {17, 31, 513}, {64, 64, 64}, {5, 40, 0}};
  for (const auto& [m, n, depth] : sizes) {
    const std::vector<float> a = randomFloats(m * depth + 1, 1), b = randomFloats(n * depth + 1, 2),
                             start = randomFloats(m * n, 3);
    for (const int variant : {0, 1, 2, 3, 4, 5}) {
      const bool transposedB = (variant & 1) != 0, transposedA = (variant & 2) != 0, accumulate = variant >= 4;
      std::vector<double> wanted;
      for (Index i = 0; i < m; i++) {
        for (Index j = 0; j < n; j++) {
          double sum = accumulate ? static_cast<double>(start[static_cast<std::size_t>(i * n + j)]) : 0.0;
          for (Index d = 0; d < depth; d++) {
            sum += static_cast<double>(a[static_cast<std::size_t>(transposedA ? d * m + i : i * depth + d)]) *
                   static_cast<double>(b[static_cast<std::size_t>(transposedB ? j * depth + d : d * n + j)]);
          }
          wanted.push_back(sum);
        }
      }
      const std::vector<float> panels = packed(k, b, depth, n, transposedB);
      std::vector<float> c = start;
      k.gemm(m, n, depth, a.data(), transposedA ? 1 : depth, transposedA ? m : 1, panels.data(),
             depth * cpu::panelWidth, c.data(), n, accumulate);
      check(distance(c.data(), wanted) < tolerance, std::string(k.name) + " gemm " + std::to_string(m) + "x" +
                                                        std::to_string(n) + "x" + std::to_string(depth) + " variant " +
                                                        std::to_string(variant));
    }
  }
}

void testRowsAreIndependent(const Kernels& k) {
  const Index m = 41, n = 70, depth = 300;
  const std::vector<float> a = randomFloats(m * depth, 4), b = randomFloats(n * depth, 5);
  const std::vector<float> panels = packed(k, b, depth, n, true);
  std::vector<float> whole(static_cast<std::size_t>(m * n)), single(static_cast<std::size_t>(n));
  k.gemm(m, n, depth, a.data(), depth, 1, panels.data(), depth * cpu::panelWidth, whole.data(), n, false);
  for (Index i = 0; i < m; i++) {
    k.gemm(1, n, depth, a.data() + i * depth, depth, 1, panels.data(), depth * cpu::panelWidth, single.data(), n,
           false);
    check(std::memcmp(single.data(), whole.data() + i * n, static_cast<std::size_t>(n) * sizeof(float)) == 0,
          std::string(k.name) + " gemm row " + std::to_string(i) + " depends on its neighbours");
  }
}

void testNorm(const Kernels& k, Index dim) {
  const std::vector<float> x = randomFloats(dim, 6), w = randomFloats(dim, 7), dy = randomFloats(dim, 8);
  std::vector<float> y(x.size()), dx(x.size()), dw(x.size());
  float rstd = 0.0f;
  k.rmsNorm(x.data(), w.data(), y.data(), &rstd, 1, dim, 1e-6f);
  k.rmsNormBackward(dy.data(), x.data(), w.data(), &rstd, dx.data(), dw.data(), 1, dim);
  double squares = 0.0, dots = 0.0;
  for (std::size_t i = 0; i < x.size(); i++) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const double r = 1.0 / std::sqrt(squares / static_cast<double>(dim) + 1e-6);
  for (std::size_t i = 0; i < x.size(); i++)
    dots += static_cast<double>(dy[i]) * static_cast<double>(w[i]) * static_cast<double>(x[i]);
  std::vector<double> wantY, wantDx, wantDw;
  for (std::size_t i = 0; i < x.size(); i++) {
    const double xi = static_cast<double>(x[i]), wi = static_cast<double>(w[i]), di = static_cast<double>(dy[i]);
    wantY.push_back(xi * r * wi);
    wantDx.push_back(r * (di * wi - xi * dots * r * r / static_cast<double>(dim)));
    wantDw.push_back(di * xi * r);
  }
  const std::string name = std::string(k.name) + " rmsNorm " + std::to_string(dim);
  check(distance(y.data(), wantY) < tolerance, name);
  check(distance(dx.data(), wantDx) < tolerance, name + " dx");
  check(distance(dw.data(), wantDw) < tolerance, name + " dw");
}

void testSwiglu(const Kernels& k, Index ffn) {
  const std::vector<float> gateUp = randomFloats(2 * ffn, 9, 20.0), d = randomFloats(ffn, 10);
  std::vector<float> act(d.size()), grad(gateUp.size());
  k.swiglu(gateUp.data(), act.data(), 1, ffn);
  k.swigluBackward(gateUp.data(), d.data(), grad.data(), 1, ffn);
  std::vector<double> wantAct, wantGate, wantUp;
  for (std::size_t i = 0; i < d.size(); i++) {
    const double g = static_cast<double>(gateUp[i]), u = static_cast<double>(gateUp[i + d.size()]),
                 di = static_cast<double>(d[i]);
    const double s = 1.0 / (1.0 + std::exp(-g));
    wantAct.push_back(g * s * u);
    wantGate.push_back(di * u * (s + g * s * (1.0 - s)));
    wantUp.push_back(di * g * s);
  }
  wantGate.insert(wantGate.end(), wantUp.begin(), wantUp.end());
  check(distance(act.data(), wantAct) < tolerance, std::string(k.name) + " swiglu " + std::to_string(ffn));
  check(distance(grad.data(), wantGate) < tolerance, std::string(k.name) + " swiglu gradient " + std::to_string(ffn));
}

void testLogSoftmax(const Kernels& k, Index n) {
  const std::vector<float> logits = randomFloats(n, 11, 12.0);
  const Index target = n / 2;
  float logp = 0.0f, entropy = 0.0f, lse = 0.0f;
  k.logSoftmax(logits.data(), n, target, &logp, &entropy, &lse);
  double sum = 0.0, wantEntropy = 0.0;
  for (const float z : logits) sum += std::exp(static_cast<double>(z));
  const double wantLse = std::log(sum);
  for (const float z : logits)
    wantEntropy -= std::exp(static_cast<double>(z) - wantLse) * (static_cast<double>(z) - wantLse);
  const std::string name = std::string(k.name) + " logSoftmax " + std::to_string(n);
  checkClose(static_cast<double>(lse), wantLse, 2e-6 * std::max(1.0, std::abs(wantLse)), name + " lse");
  checkClose(static_cast<double>(logp), static_cast<double>(logits[static_cast<std::size_t>(target)]) - wantLse, 4e-6,
             name + " logp");
  checkClose(static_cast<double>(entropy), wantEntropy, 1e-5, name + " entropy");

  std::vector<float> grad = logits;
  k.logSoftmaxBackward(grad.data(), n, target, lse, entropy, 0.7f, -0.3f);
  std::vector<double> wanted;
  for (std::size_t i = 0; i < logits.size(); i++) {
    const double l = static_cast<double>(logits[i]) - wantLse, p = std::exp(l);
    wanted.push_back((static_cast<Index>(i) == target ? 0.7 : 0.0) - 0.7 * p + 0.3 * p * (l + wantEntropy));
  }
  check(distance(grad.data(), wanted) < 2 * tolerance, name + " gradient");

  std::vector<float> p = logits;
  k.softmax(p.data(), n, 0.5f);
  double total = 0.0;
  for (const float value : p) total += static_cast<double>(value);
  checkClose(total, 1.0, 1e-5, name + " softmax sums to one");
}

void testRope(const Kernels& k, Index headDim) {
  const Index heads = 3, half = headDim / 2;
  const std::vector<float> x = randomFloats(heads * headDim, 12), angles = randomFloats(half, 13, 3.0);
  std::vector<float> c, s, y = x;
  for (const float angle : angles) {
    c.push_back(std::cos(angle));
    s.push_back(std::sin(angle));
  }
  k.rope(y.data(), heads, headDim, c.data(), s.data(), 1.0f);
  std::vector<double> wanted(x.size());
  for (Index head = 0; head < heads; head++) {
    for (Index i = 0; i < half; i++) {
      const auto first = static_cast<std::size_t>(head * headDim + i), second = first + static_cast<std::size_t>(half),
                 pair = static_cast<std::size_t>(i);
      wanted[first] = static_cast<double>(x[first]) * static_cast<double>(c[pair]) -
                      static_cast<double>(x[second]) * static_cast<double>(s[pair]);
      wanted[second] = static_cast<double>(x[second]) * static_cast<double>(c[pair]) +
                       static_cast<double>(x[first]) * static_cast<double>(s[pair]);
    }
  }
  check(distance(y.data(), wanted) < tolerance, std::string(k.name) + " rope " + std::to_string(headDim));
  k.rope(y.data(), heads, headDim, c.data(), s.data(), -1.0f);
  check(distance(y.data(), std::vector<double>(x.begin(), x.end())) < tolerance,
        std::string(k.name) + " rope and back " + std::to_string(headDim));
}

void testAttendCached(const Kernels& k, Index n, Index headDim) {
  const Index pageFloats = 2 * headDim * cpu::pageSize, pageCount = (n + cpu::pageSize - 1) / cpu::pageSize;
  std::vector<float> memory = randomFloats(pageCount * pageFloats, 14), q = randomFloats(headDim, 15);
  std::vector<const float*> pages;
  for (Index page = 0; page < pageCount; page++) pages.push_back(memory.data() + page * pageFloats);
  std::vector<float> scores(static_cast<std::size_t>(pageCount * cpu::pageSize)),
      out(static_cast<std::size_t>(headDim));
  k.attendCached(q.data(), pages.data(), 0, n, headDim, 0.3f, scores.data(), out.data());
  std::vector<double> p, wanted(out.size());
  double sum = 0.0;
  for (Index t = 0; t < n; t++) {
    double score = 0.0;
    for (Index d = 0; d < headDim; d++)
      score += static_cast<double>(q[static_cast<std::size_t>(d)]) *
               static_cast<double>(
                   pages[static_cast<std::size_t>(t / cpu::pageSize)][d * cpu::pageSize + t % cpu::pageSize]);
    p.push_back(std::exp(0.3 * score));
    sum += p.back();
  }
  for (Index t = 0; t < n; t++) {
    const float* values =
        pages[static_cast<std::size_t>(t / cpu::pageSize)] + headDim * cpu::pageSize + t % cpu::pageSize * headDim;
    for (Index d = 0; d < headDim; d++)
      wanted[static_cast<std::size_t>(d)] += p[static_cast<std::size_t>(t)] / sum * static_cast<double>(values[d]);
  }
  check(distance(out.data(), wanted) < tolerance,
        std::string(k.name) + " attendCached " + std::to_string(n) + " positions of " + std::to_string(headDim));
}

void testAdamw(const Kernels& k) {
  const Index n = 37;
  std::vector<float> p = randomFloats(n, 16), m(p.size()), v(p.size());
  std::vector<double> wp(p.begin(), p.end()), wm(p.size()), wv(p.size());
  for (int step = 1; step <= 3; step++) {
    const std::vector<float> g = randomFloats(n, 20 + static_cast<std::uint64_t>(step));
    const double c1 = 1.0 / (1.0 - std::pow(0.9, step)), c2 = 1.0 / (1.0 - std::pow(0.95, step));
    k.adamw(p.data(), g.data(), m.data(), v.data(), n,
            {1e-2f, 0.9f, 0.95f, 1e-8f, 0.1f, static_cast<float>(c1), static_cast<float>(c2), 0.5f});
    for (std::size_t i = 0; i < p.size(); i++) {
      const double grad = 0.5 * static_cast<double>(g[i]);
      wm[i] = 0.9 * wm[i] + 0.1 * grad;
      wv[i] = 0.95 * wv[i] + 0.05 * grad * grad;
      wp[i] = wp[i] * (1.0 - 1e-2 * 0.1) - 1e-2 * wm[i] * c1 / (std::sqrt(wv[i] * c2) + 1e-8);
    }
  }
  check(distance(p.data(), wp) < 1e-6, std::string(k.name) + " adamw");
}

void testSums(const Kernels& k) {
  const std::vector<float> x = randomFloats(5000, 17);
  double squares = 0.0;
  for (const float value : x) squares += static_cast<double>(value) * static_cast<double>(value);
  checkClose(k.squaredNorm(x.data(), 5000), squares, 1e-5 * squares, std::string(k.name) + " squaredNorm");
  const float* sources[] = {x.data(), x.data() + 1000, x.data() + 2000};
  std::vector<float> out(777);
  k.sumRanks(sources, 3, out.data(), 777);
  for (std::size_t i = 0; i < out.size(); i++)
    check(out[i] == x[i] + x[i + 1000] + x[i + 2000], std::string(k.name) + " sumRanks adds in rank order");
}

}  // namespace

int main() {
  for (const char* name : {"generic", "avx2", "avx512"}) {
    const Kernels* k = cpu::findKernels(name);
    if (k == nullptr) {
      std::printf("%s: not on this processor\n", name);
      continue;
    }
    testGemm(*k);
    testRowsAreIndependent(*k);
    for (const Index n : {2, 7, 16, 24, 96, 259}) {
      testNorm(*k, n);
      testSwiglu(*k, n);
      testLogSoftmax(*k, n);
    }
    for (const Index headDim : {2, 6, 8, 24, 32, 64, 128}) {
      testRope(*k, headDim);
      for (const Index n : {1, 15, 16, 17, 100}) testAttendCached(*k, n, headDim);
    }
    testAdamw(*k);
    testSums(*k);
  }
  return report();
}
