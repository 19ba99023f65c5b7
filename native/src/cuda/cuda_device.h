#pragma once

#include <memory>
#include <string>

#include "cublas_lt.h"
#include "device.h"

namespace actors::cuda {

/// A real GPU: memory and copies by the CUDA runtime, which is linked in and itself opens the driver, products by
/// cuBLASLt.
class CudaDevice final : public Device {
 public:
  /// Throws Unsupported: "no CUDA device: ..." and what would help.
  explicit CudaDevice(int index);
  ~CudaDevice() override;

  const char* name() const override { return name_.c_str(); }
  Stream stream() override { return stream_; }
  float* allocate(Index floats) override;
  void release(float* memory, Index floats) noexcept override;
  void upload(const void* host, std::size_t bytes, void* to) override;
  void download(const void* from, std::size_t bytes, void* host) override;
  void copy(const void* from, std::size_t bytes, void* to) override;
  void zero(void* to, std::size_t bytes) override;
  void multiply(const Product& product) override;

 private:
  std::string name_;
  Stream stream_ = nullptr;
  std::unique_ptr<CublasLt> blas_;
  void* workspace_ = nullptr;
};

}  // namespace actors::cuda
