// Stands in for cuBLASLt, which needs a GPU even to be created: the part of its interface that is used, with its
// documented meaning (columns first, transposes, leading dimensions, alpha and beta), on host memory.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

struct Desc {
  int compute, scale, transposeA = 0, transposeB = 0;
};
struct Layout {
  int type;
  std::int64_t rows, columns, stride;
};
struct Preference {
  std::uint64_t workspace = 0;
  std::uint32_t alignments[4] = {256, 256, 256, 256};
};

float element(const void* data, const Layout& layout, std::int64_t row, std::int64_t column) {
  const std::int64_t at = row + column * layout.stride;
  if (layout.type == 0) return static_cast<const float*>(data)[at];
  const std::uint32_t bits = std::uint32_t{static_cast<const std::uint16_t*>(data)[at]} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool misaligned(const void* data, std::uint32_t alignment) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment != 0;
}

constexpr int invalid = 7, unsupported = 15;

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API std::size_t cublasLtGetCudartVersion() { return 13000; }
API int cublasLtCreate(void** handle) { return *handle = new int(0), 0; }
API int cublasLtDestroy(void* handle) { return delete static_cast<int*>(handle), 0; }
API int cublasLtMatmulDescCreate(void** desc, int compute, int scale) { return *desc = new Desc{compute, scale}, 0; }
API int cublasLtMatmulDescDestroy(void* desc) { return delete static_cast<Desc*>(desc), 0; }
API int cublasLtMatmulDescSetAttribute(void* desc, int attribute, const void* value, std::size_t bytes) {
  auto* d = static_cast<Desc*>(desc);
  if (bytes != sizeof(int) || (attribute != 3 && attribute != 4)) return invalid;
  std::memcpy(attribute == 3 ? &d->transposeA : &d->transposeB, value, bytes);
  return 0;
}
API int cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                   std::int64_t stride) {
  if (stride < static_cast<std::int64_t>(rows)) return invalid;
  return *layout = new Layout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), stride}, 0;
}
API int cublasLtMatrixLayoutDestroy(void* layout) { return delete static_cast<Layout*>(layout), 0; }
API int cublasLtMatmulPreferenceCreate(void** preference) { return *preference = new Preference, 0; }
API int cublasLtMatmulPreferenceDestroy(void* preference) { return delete static_cast<Preference*>(preference), 0; }
API int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value, std::size_t bytes) {
  auto* p = static_cast<Preference*>(preference);
  if (attribute == 1 && bytes == sizeof p->workspace) return std::memcpy(&p->workspace, value, bytes), 0;
  if (attribute < 5 || attribute > 8 || bytes != sizeof(std::uint32_t)) return invalid;
  std::memcpy(&p->alignments[attribute - 5], value, bytes);
  return 0;
}
API int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void* preference, int wanted,
                                       void* results, int* found) {
  // The algorithm remembers what alignment it was promised.
  const auto& promised = static_cast<Preference*>(preference)->alignments;
  std::memset(results, 0, 96);
  std::memcpy(results, promised, sizeof promised);
  *found = wanted > 0 ? 1 : 0;
  return 0;
}
API int cublasLtMatmul(void*, void* desc, const void* alpha, const void* a, void* aLayout, const void* b, void* bLayout,
                       const void* beta, const void* c, void* cLayout, void* d, void* dLayout, const void* algorithm,
                       void*, std::size_t, void*) {
  const Desc& op = *static_cast<Desc*>(desc);
  const Layout &la = *static_cast<Layout*>(aLayout), &lb = *static_cast<Layout*>(bLayout),
               &lc = *static_cast<Layout*>(cLayout), &ld = *static_cast<Layout*>(dLayout);
  const std::int64_t m = op.transposeA ? la.columns : la.rows, k = op.transposeA ? la.rows : la.columns;
  const std::int64_t n = op.transposeB ? lb.rows : lb.columns, kb = op.transposeB ? lb.columns : lb.rows;
  if (k != kb || lc.rows != m || lc.columns != n || ld.rows != m || ld.columns != n) return invalid;
  if (op.compute != 68 || op.scale != 0 || la.type != lb.type || ld.type != 0) return unsupported;
  std::uint32_t alignments[4];
  std::memcpy(alignments, algorithm, sizeof alignments);
  if (misaligned(a, alignments[0]) || misaligned(b, alignments[1]) || misaligned(d, alignments[3])) return unsupported;
  for (std::int64_t column = 0; column < n; column++) {
    for (std::int64_t row = 0; row < m; row++) {
      float sum = 0.0f;
      for (std::int64_t i = 0; i < k; i++)
        sum += (op.transposeA ? element(a, la, i, row) : element(a, la, row, i)) *
               (op.transposeB ? element(b, lb, column, i) : element(b, lb, i, column));
      float* to = static_cast<float*>(d) + row + column * ld.stride;
      const float scale = *static_cast<const float*>(beta);
      *to = *static_cast<const float*>(alpha) * sum + (scale == 0.0f ? 0.0f : scale * element(c, lc, row, column));
    }
  }
  return 0;
}
