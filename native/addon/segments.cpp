// Anonymous shared memory: a segment has no name in any folder, so the kernel frees it when the last process that has
// it open or mapped ends, however it ends. Another process opens it as /proc/PID/fd/N of its owner. A reader holds a
// shared lock while it maps a segment; the owner takes the exclusive one to learn that nobody reads.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "../src/wait.h"
#include "objects.h"

namespace actors::addon {

namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int release() {
    const int kept = number;
    number = -1;
    return kept;
  }
};

int anonymousFile() {
#if defined(__linux__)
  return memfd_create("actors-object", MFD_CLOEXEC);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int descriptorArgument(const Napi::CallbackInfo& info, std::size_t index) {
  const double number = numberArgument(info, index, "descriptor");
  require(number >= 0 && number < 0x1.0p31, "not a file descriptor");
  return static_cast<int>(number);
}

bool tryLock(int descriptor, int kind) {
  if (flock(descriptor, kind | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) throwErrno("lock", "a segment");
  return false;
}

Napi::Value createSegment(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const double size = numberArgument(info, 0, "bytes");
    require(size >= 1 && size <= 0x1.0p46, "createSegment: bytes must be a positive integer");
    const auto bytes = static_cast<std::size_t>(size);
    Descriptor file{anonymousFile()};
    if (file.number < 0) throwErrno("create", "a shared-memory segment");
    // Its pages now, or memory that runs out would kill the process at the first write.
    if (!reserveFile(file.number, bytes)) throwErrno("reserve " + std::to_string(bytes) + " bytes for", "a segment");
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
    if (memory == MAP_FAILED) throwErrno("map", "a segment");
    auto segment = Napi::Object::New(info.Env());
    segment["buffer"] =
        Napi::ArrayBuffer::New(info.Env(), memory, bytes, [bytes](Napi::Env, void* data) { munmap(data, bytes); });
    segment["descriptor"] = Napi::Number::New(info.Env(), file.release());
    return segment;
  });
}

Napi::Value mapSegment(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const std::string path = stringArgument(info, 0, "path");
    struct stat status;
    // The path may lead to anything by now: a socket, or a pipe whose opening would block.
    if (stat(path.c_str(), &status) != 0) throwErrno("inspect", path);
    if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::InvalidArgument, path + " is no segment");
    Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (file.number < 0) throwErrno("open", path);
    if (!tryLock(file.number, LOCK_SH)) return info.Env().Null();
    if (fstat(file.number, &status) != 0) throwErrno("inspect", path);
    const auto bytes = static_cast<std::size_t>(status.st_size);
    if (bytes == 0) return info.Env().Null();
    // Private and writable: a stray write from JavaScript hits a copy instead of crashing.
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number, 0);
    if (memory == MAP_FAILED) throwErrno("map", path);
    const int locked = file.release();  // its lock ends with the mapping
    return Napi::ArrayBuffer::New(info.Env(), memory, bytes, [bytes, locked](Napi::Env, void* data) {
      munmap(data, bytes);
      ::close(locked);
    });
  });
}

Napi::Value lockSegment(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return Napi::Boolean::New(info.Env(), tryLock(descriptorArgument(info, 0), LOCK_EX));
  });
}

void unlockSegment(const Napi::CallbackInfo& info) {
  guarded(info.Env(), [&] {
    if (flock(descriptorArgument(info, 0), LOCK_UN) != 0) throwErrno("unlock", "a segment");
  });
}

void dropSegment(const Napi::CallbackInfo& info) {
  guarded(info.Env(), [&] {
    const Descriptor file{descriptorArgument(info, 0)};
    require(info[1].IsArrayBuffer(), "dropSegment: the segment's buffer is missing");
    info[1].As<Napi::ArrayBuffer>().Detach();
    // At once where nobody reads; else with the last reader.
    if (tryLock(file.number, LOCK_EX) && ftruncate(file.number, 0) != 0) throwErrno("empty", "a segment");
  });
}

}  // namespace

void defineSegments(Napi::Env env, Napi::Object exports) {
  exports.Set("createSegment", Napi::Function::New<createSegment>(env));
  exports.Set("mapSegment", Napi::Function::New<mapSegment>(env));
  exports.Set("lockSegment", Napi::Function::New<lockSegment>(env));
  exports.Set("unlockSegment", Napi::Function::New<unlockSegment>(env));
  exports.Set("dropSegment", Napi::Function::New<dropSegment>(env));
}

}  // namespace actors::addon
