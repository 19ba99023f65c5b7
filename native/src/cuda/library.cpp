// The CUDA backend as a library of its own, opened at run time by src/cuda_backend.cpp: the addon needs no CUDA.

#include "backend.h"
#include "cuda_device.h"

#include <cstring>

#include "actors/error.h"

extern "C" __attribute__((visibility("default"))) actors::Backend* actorsCudaBackend(const char* interface, int device,
                                                                                     bool bf16) {
  using namespace actors;
  if (std::strcmp(interface, ACTORS_BACKEND_INTERFACE) != 0)
    throw Error(ErrorCode::Unsupported, "the CUDA library is of another build; run `node native/build.mjs --cuda`");
  return new cuda::CudaBackend(std::make_unique<cuda::CudaDevice>(device), bf16);
}
