#include <dlfcn.h>

#include <string>

#include "actors/backend.h"
#include "actors/error.h"

namespace actors {

namespace {

#if defined(__APPLE__)
constexpr const char* libraryName = "libactors_cuda.dylib";
#else
constexpr const char* libraryName = "libactors_cuda.so";
#endif

/// The file that holds this function: the addon, or a program.
std::string folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&makeCudaBackend), &info) == 0 || info.dli_fname == nullptr) return ".";
  const std::string file = info.dli_fname;
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

}  // namespace

std::unique_ptr<Backend> makeCudaBackend(int device, bool bf16) {
  const std::string path = folder() + "/" + libraryName;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: what it registers outlives a backend
  if (library == nullptr)
    throw Error(ErrorCode::Unsupported,
                "no CUDA device: this build has no CUDA backend; run `node native/build.mjs --cuda` "
                "where there is an nvcc (" +
                    std::string(dlerror()) + ")");
  using Make = Backend*(const char*, int, bool);
  auto* make = reinterpret_cast<Make*>(dlsym(library, "actorsCudaBackend"));
  if (make == nullptr) throw Error(ErrorCode::Unsupported, path + " is not the CUDA backend");
  return std::unique_ptr<Backend>(make(ACTORS_BACKEND_INTERFACE, device, bf16));
}

}  // namespace actors
