#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "device.h"
#include "libraries.h"

namespace actors::cuda {

/// Matrix products by cuBLASLt. Its headers are not needed: what is used of its interface, the same from CUDA 11 to 13,
/// is declared in cublas_lt.cpp.
class CublasLt {
 public:
  /// `driver`: the newest CUDA that the driver supports, as cudaDriverGetVersion gives it (12040 is 12.4). Throws
  /// Unsupported for a library that is missing, or newer than that.
  explicit CublasLt(int driver);
  ~CublasLt();

  /// workspace: workspaceBytes() of device memory, which products of one stream may share.
  void multiply(const Product& product, void* workspace, Stream stream);
  static constexpr std::size_t workspaceBytes() { return std::size_t{32} << 20; }

 private:
  struct Table;
  struct Plan;
  /// Shape, layout and alignment: what the choice of an algorithm depends on.
  using Key = std::tuple<Index, Index, Index, int, unsigned, unsigned, unsigned>;
  const Plan& plan(const Product& product);

  Library library_;
  std::unique_ptr<Table> table_;
  void* handle_ = nullptr;
  std::map<Key, std::unique_ptr<Plan>> plans_;
};

}  // namespace actors::cuda
