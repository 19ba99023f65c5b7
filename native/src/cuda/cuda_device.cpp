#include "cuda_device.h"

#include <cuda_runtime_api.h>

#include "actors/error.h"

namespace actors::cuda {

namespace {

std::string version(int cuda) { return std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10); }

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw Error(status == cudaErrorMemoryAllocation ? ErrorCode::OutOfMemory : ErrorCode::Internal,
              std::string(call) + ": " + cudaGetErrorString(status) + " (" + std::to_string(status) + ")");
}

/// The newest CUDA that the driver supports.
int driverVersion() {
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return driver;
}

[[noreturn]] void noDevice(const std::string& why) { throw Error(ErrorCode::Unsupported, "no CUDA device: " + why); }

void requireDevice(int index) {
  const int driver = driverVersion();
  if (driver == 0) noDevice("there is no NVIDIA driver; install one, or use the CPU backend");
  if (driver / 1000 < CUDART_VERSION / 1000)
    noDevice("the driver supports CUDA " + version(driver) + ", this build needs " + version(CUDART_VERSION) +
             "; update the NVIDIA driver, or build with the nvcc of CUDA " + std::to_string(driver / 1000));
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess)
    noDevice(std::string(cudaGetErrorString(status)) + " (" + std::to_string(status) + ")");
  if (index < 0 || index >= count)
    noDevice("device " + std::to_string(index) + " was asked for, there are " + std::to_string(count) +
             "; CUDA_VISIBLE_DEVICES chooses which are seen");
}

}  // namespace

void checkLaunch(const char* kernel) { check(cudaGetLastError(), kernel); }

CudaDevice::CudaDevice(int index) {
  requireDevice(index);
  check(cudaSetDevice(index), "cudaSetDevice");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  name_ = std::string("cuda: ") + properties.name;
  blas_ = std::make_unique<CublasLt>(driverVersion());
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  stream_ = stream;
  check(cudaMalloc(&workspace_, CublasLt::workspaceBytes()), "cudaMalloc");
}

CudaDevice::~CudaDevice() {
  if (stream_ != nullptr) cudaStreamSynchronize(static_cast<cudaStream_t>(stream_));
  if (workspace_ != nullptr) cudaFree(workspace_);
  blas_.reset();
  if (stream_ != nullptr) cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

float* CudaDevice::allocate(Index floats) {
  const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float);
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // it would otherwise be reported by the next launch
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    throw Error(ErrorCode::OutOfMemory, name_ + ": could not allocate " + std::to_string(bytes >> 20) + " MiB, " +
                                            std::to_string(free >> 20) + " of " + std::to_string(total >> 20) +
                                            " are free");
  }
  check(status, "cudaMalloc");
  zero(memory, bytes);
  return static_cast<float*>(memory);
}

void CudaDevice::release(float* memory, Index) noexcept {
  cudaStreamSynchronize(static_cast<cudaStream_t>(stream_));  // kernels may still read it
  cudaFree(memory);
}

void CudaDevice::upload(const void* host, std::size_t bytes, void* to) {
  // From pageable memory this returns once the driver has its own copy.
  check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, static_cast<cudaStream_t>(stream_)), "upload");
}

void CudaDevice::download(const void* from, std::size_t bytes, void* host) {
  const auto stream = static_cast<cudaStream_t>(stream_);
  check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, stream), "download");
  check(cudaStreamSynchronize(stream), "download");
}

void CudaDevice::copy(const void* from, std::size_t bytes, void* to) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream_)), "copy");
}

void CudaDevice::zero(void* to, std::size_t bytes) {
  check(cudaMemsetAsync(to, 0, bytes, static_cast<cudaStream_t>(stream_)), "zero");
}

void CudaDevice::multiply(const Product& product) { blas_->multiply(product, workspace_, stream_); }

}  // namespace actors::cuda
