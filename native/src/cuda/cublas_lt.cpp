#include "cublas_lt.h"

#include <algorithm>
#include <string>

#include "actors/error.h"

namespace actors::cuda {

namespace {

// From cublasLt.h, cublas_api.h and library_types.h.
constexpr int typeFp32 = 0, typeBf16 = 14, computeFp32 = 68;
constexpr int descTransposeA = 3, descTransposeB = 4;
constexpr int preferWorkspace = 1, preferAlignmentA = 5, preferAlignmentB = 6, preferAlignmentC = 7,
              preferAlignmentD = 8;

struct Algorithm {
  std::uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

std::string version(int cuda) { return std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10); }

unsigned alignment(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return static_cast<unsigned>(std::min<std::uintptr_t>(256, address & -address));
}

void check(int status, const char* call, const Product& p) {
  if (status == 0) return;
  throw Error(ErrorCode::Internal, std::string(call) + " failed with status " + std::to_string(status) +
                                       " for a product " + std::to_string(p.m) + " x " + std::to_string(p.n) + " x " +
                                       std::to_string(p.k));
}

}  // namespace

struct CublasLt::Table {
  std::size_t (*getCudartVersion)();
  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*descCreate)(void** desc, int compute, int scale);
  int (*descDestroy)(void* desc);
  int (*descSet)(void* desc, int attribute, const void* value, std::size_t bytes);
  int (*layoutCreate)(void** layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t stride);
  int (*layoutDestroy)(void* layout);
  int (*preferenceCreate)(void** preference);
  int (*preferenceDestroy)(void* preference);
  int (*preferenceSet)(void* preference, int attribute, const void* value, std::size_t bytes);
  int (*heuristic)(void* handle, void* desc, void* a, void* b, void* c, void* d, void* preference, int wanted,
                   Heuristic* results, int* found);
  int (*matmul)(void* handle, void* desc, const void* alpha, const void* a, void* aLayout, const void* b, void* bLayout,
                const void* beta, const void* c, void* cLayout, void* d, void* dLayout, const Algorithm* algorithm,
                void* workspace, std::size_t workspaceBytes, Stream stream);

  explicit Table(const Library& library) {
    library.load("cublasLtGetCudartVersion", getCudartVersion);
    library.load("cublasLtCreate", create);
    library.load("cublasLtDestroy", destroy);
    library.load("cublasLtMatmulDescCreate", descCreate);
    library.load("cublasLtMatmulDescDestroy", descDestroy);
    library.load("cublasLtMatmulDescSetAttribute", descSet);
    library.load("cublasLtMatrixLayoutCreate", layoutCreate);
    library.load("cublasLtMatrixLayoutDestroy", layoutDestroy);
    library.load("cublasLtMatmulPreferenceCreate", preferenceCreate);
    library.load("cublasLtMatmulPreferenceDestroy", preferenceDestroy);
    library.load("cublasLtMatmulPreferenceSetAttribute", preferenceSet);
    library.load("cublasLtMatmulAlgoGetHeuristic", heuristic);
    library.load("cublasLtMatmul", matmul);
  }
};

/// What is asked of cuBLASLt for products of one kind. It counts columns first, so it multiplies the transposes:
/// c^T = b^T . a^T, where its "a" is our b.
struct CublasLt::Plan {
  const Table& table;
  void *desc = nullptr, *left = nullptr, *right = nullptr, *result = nullptr;
  Heuristic choice{};

  explicit Plan(const Table& t) : table(t) {}
  ~Plan() {
    for (void* layout : {left, right, result})
      if (layout != nullptr) table.layoutDestroy(layout);
    if (desc != nullptr) table.descDestroy(desc);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
};

CublasLt::CublasLt(int driver)
    : library_({"libcublasLt.so.13", "libcublasLt.so.12"}, {"cu13/lib", "cublas/lib"},
               "install it (`pip install nvidia-cublas`), or name its folder in ACTORS_CUDA_LIBS"),
      table_(std::make_unique<Table>(library_)) {
  const int built = static_cast<int>(table_->getCudartVersion());
  if (built / 1000 > driver / 1000)
    throw Error(ErrorCode::Unsupported,
                library_.path() + " is of CUDA " + version(built) + ", but the driver supports " + version(driver) +
                    ": update the NVIDIA driver, or install nvidia-cublas-cu" + std::to_string(driver / 1000));
  if (const int status = table_->create(&handle_); status != 0)
    throw Error(ErrorCode::Unsupported, "cublasLtCreate failed with status " + std::to_string(status));
}

CublasLt::~CublasLt() {
  plans_.clear();
  if (handle_ != nullptr) table_->destroy(handle_);
}

const CublasLt::Plan& CublasLt::plan(const Product& p) {
  const unsigned a = alignment(p.a), b = alignment(p.b), c = alignment(p.c);
  const int flags = (p.aTransposed ? 1 : 0) | (p.bTransposed ? 2 : 0) | (p.bf16 ? 4 : 0);
  std::unique_ptr<Plan>& slot = plans_[{p.m, p.n, p.k, flags, a, b, c}];
  if (slot != nullptr) return *slot;

  const Table& t = *table_;
  auto plan = std::make_unique<Plan>(t);
  const int type = p.bf16 ? typeBf16 : typeFp32, leftTransposed = p.bTransposed, rightTransposed = p.aTransposed;
  check(t.descCreate(&plan->desc, computeFp32, typeFp32), "cublasLtMatmulDescCreate", p);
  check(t.descSet(plan->desc, descTransposeA, &leftTransposed, sizeof leftTransposed), "transpose", p);
  check(t.descSet(plan->desc, descTransposeB, &rightTransposed, sizeof rightTransposed), "transpose", p);
  const auto layout = [&](void** to, int of, Index rows, Index columns) {
    check(t.layoutCreate(to, of, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate", p);
  };
  p.bTransposed ? layout(&plan->left, type, p.k, p.n) : layout(&plan->left, type, p.n, p.k);
  p.aTransposed ? layout(&plan->right, type, p.m, p.k) : layout(&plan->right, type, p.k, p.m);
  layout(&plan->result, typeFp32, p.n, p.m);

  void* made = nullptr;
  check(t.preferenceCreate(&made), "cublasLtMatmulPreferenceCreate", p);
  const std::unique_ptr<void, int (*)(void*)> preference(made, t.preferenceDestroy);
  const std::size_t bytes = workspaceBytes();
  check(t.preferenceSet(made, preferWorkspace, &bytes, sizeof bytes), "workspace", p);
  const std::pair<int, unsigned> alignments[] = {
      {preferAlignmentA, b}, {preferAlignmentB, a}, {preferAlignmentC, c}, {preferAlignmentD, c}};
  for (const auto& [attribute, value] : alignments)
    check(t.preferenceSet(made, attribute, &value, sizeof value), "alignment", p);
  int found = 0;
  check(t.heuristic(handle_, plan->desc, plan->left, plan->right, plan->result, plan->result, made, 1, &plan->choice,
                    &found),
        "cublasLtMatmulAlgoGetHeuristic", p);
  if (found < 1) check(plan->choice.state == 0 ? 15 : plan->choice.state, "cublasLtMatmulAlgoGetHeuristic", p);
  slot = std::move(plan);
  return *slot;
}

void CublasLt::multiply(const Product& p, void* workspace, Stream stream) {
  if (p.m == 0 || p.n == 0 || p.k == 0) return;
  const Plan& chosen = plan(p);
  const float alpha = 1.0f, beta = p.accumulate ? 1.0f : 0.0f;
  check(table_->matmul(handle_, chosen.desc, &alpha, p.b, chosen.left, p.a, chosen.right, &beta, p.c, chosen.result,
                       p.c, chosen.result, &chosen.choice.algorithm, workspace, workspaceBytes(), stream),
        "cublasLtMatmul", p);
}

}  // namespace actors::cuda
