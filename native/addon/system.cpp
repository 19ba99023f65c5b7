#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "../src/wait.h"
#include "objects.h"

namespace actors::addon {

namespace {

/// Closes a descriptor at the end of its scope; a mapping outlives it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void* mapBytes(const std::string& path, std::size_t bytes, bool writable) {
  const Descriptor file{::open(path.c_str(), (writable ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0600)};
  if (file.number < 0) throwErrno("open", path);
  struct stat status;
  if (fstat(file.number, &status) != 0) throwErrno("inspect", path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < bytes) {
    if (!writable)
      throw Error(ErrorCode::InvalidArgument, "mapFile: " + path + " has " + std::to_string(size) +
                                                  " bytes, fewer than the " + std::to_string(bytes) + " asked for");
    // Blocks now, or a full disk would kill the process at the first write.
    if (!reserveFile(file.number, bytes)) throwErrno("reserve " + std::to_string(bytes) + " bytes for", path);
  }
  // A read-only mapping is private and writable: a stray write from JavaScript then hits a copy instead of crashing.
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, writable ? MAP_SHARED : MAP_PRIVATE, file.number, 0);
  if (memory == MAP_FAILED) throwErrno("map", path);
  return memory;
}

Napi::Value mapFile(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const std::string path = stringArgument(info, 0, "path");
    const double size = numberArgument(info, 1, "bytes");
    require(size >= 1 && size <= 0x1.0p46, "mapFile: bytes must be a positive integer");
    const auto bytes = static_cast<std::size_t>(size);
    void* memory = mapBytes(path, bytes, info[2].ToBoolean().Value());
    return Napi::ArrayBuffer::New(info.Env(), memory, bytes, [bytes](Napi::Env, void* data) { munmap(data, bytes); });
  });
}

Napi::Value setParentDeathSignal(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const double signal = numberArgument(info, 0, "signal");
    require(signal >= 0 && signal < NSIG, "setParentDeathSignal: not a signal number");
#if defined(__linux__)
    return Napi::Boolean::New(info.Env(), prctl(PR_SET_PDEATHSIG, static_cast<int>(signal)) == 0);
#else
    return Napi::Boolean::New(info.Env(), false);
#endif
  });
}

}  // namespace

void defineSystem(Napi::Env env, Napi::Object exports) {
  exports.Set("mapFile", Napi::Function::New<mapFile>(env));
  exports.Set("setParentDeathSignal", Napi::Function::New<setParentDeathSignal>(env));
}

}  // namespace actors::addon
