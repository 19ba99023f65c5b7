// Anonymous shared memory: a segment has no name in any folder, so the kernel frees it when the last process that has
// it open or mapped ends, however it ends. Another process opens it as /proc/PID/fd/N of its owner. A reader holds a
// shared lock while it maps a segment; the owner takes the exclusive one to learn that nobody reads.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "../src/wait.h"
#include "copy.h"
#include "descriptor.h"
#include "objects.h"

namespace actors::addon {

namespace {

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

/// The path may lead to anything by now: a socket, or a pipe whose opening would block.
int openRegular(const std::string& path, int flags) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) throwErrno("inspect", path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::InvalidArgument, path + " is no segment");
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) throwErrno("open", path);
  return descriptor;
}

std::size_t sizeOf(int descriptor, const std::string& path) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) throwErrno("inspect", path);
  return static_cast<std::size_t>(status.st_size);
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
    Descriptor file{openRegular(path, O_RDONLY)};
    if (!tryLock(file.number, LOCK_SH)) return info.Env().Null();
    const std::size_t bytes = sizeOf(file.number, path);
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

/// A segment that this process maps for long, to read one object after another from it without new page faults.
struct Reader {
  Reader(int file, void* at, std::size_t size) : descriptor(file), memory(at), bytes(size) {}
  Reader(const Reader&) = delete;
  ~Reader() { close(); }

  void close() {
    if (descriptor < 0) return;
    munmap(memory, bytes);
    ::close(descriptor);
    descriptor = -1;
  }

  int descriptor;  ///< -1 once closed
  void* memory;
  std::size_t bytes;
  bool reading = false;        ///< a buffer over it was handed out, lives, and holds the shared lock
  bool* prepared = nullptr;    ///< of the buffer that is not handed out yet: whether it is
};

using SharedReader = std::shared_ptr<Reader>;

SharedReader& readerArgument(const Napi::CallbackInfo& info) {
  require(info[0].IsExternal(), "not a reader of a segment");
  return *info[0].As<Napi::External<SharedReader>>().Data();
}

Napi::Value openSegment(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const std::string path = stringArgument(info, 0, "path");
    Descriptor file{openRegular(path, O_RDWR)};
    const std::size_t bytes = sizeOf(file.number, path);
    if (bytes == 0) return info.Env().Null();
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
    if (memory == MAP_FAILED) throwErrno("map", path);
    auto* reader = new SharedReader(std::make_shared<Reader>(file.release(), memory, bytes));
    return Napi::External<SharedReader>::New(info.Env(), reader, [](Napi::Env, SharedReader* data) { delete data; });
  });
}

Napi::Value prepareRead(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const SharedReader reader = readerArgument(info);
    if (reader->descriptor < 0 || reader->prepared) return info.Env().Null();
    auto given = std::make_unique<bool>(false);
    auto* isGiven = given.get();
    auto buffer = Napi::ArrayBuffer::New(
        info.Env(), reader->memory, reader->bytes, [reader, isGiven](Napi::Env, void*) {
          if (reader->prepared == isGiven) reader->prepared = nullptr;
          if (*isGiven) {
            reader->reading = false;
            flock(reader->descriptor, LOCK_UN);
          }
          delete isGiven;
        });
    reader->prepared = given.release();
    return buffer;
  });
}

Napi::Value startRead(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const SharedReader reader = readerArgument(info);
    const auto no = Napi::Boolean::New(info.Env(), false);
    if (!reader->prepared || reader->reading || reader->descriptor < 0) return no;
    if (!tryLock(reader->descriptor, LOCK_SH)) return no;
    // Its owner empties it under the exclusive lock alone: from here on it stays as large as it is.
    if (sizeOf(reader->descriptor, "a segment") < reader->bytes) {
      flock(reader->descriptor, LOCK_UN);
      return no;
    }
    *std::exchange(reader->prepared, nullptr) = true;
    reader->reading = true;
    return Napi::Boolean::New(info.Env(), true);
  });
}

Napi::Value closeReader(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const SharedReader& reader = readerArgument(info);
    if (!reader->reading) reader->close();
    return Napi::Boolean::New(info.Env(), !reader->reading);
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

/// Copies beside the event loop, for fresh memory is slow to touch.
class Copy final : public Napi::AsyncWorker {
 public:
  Copy(Napi::Env env, Napi::Uint8Array to, Napi::Uint8Array from)
      : AsyncWorker(env),
        deferred_(Napi::Promise::Deferred::New(env)),
        keepTo_(Napi::Persistent(to.As<Napi::Object>())),
        keepFrom_(Napi::Persistent(from.As<Napi::Object>())),
        to_(to.Data()),
        from_(from.Data()),
        bytes_(from.ByteLength()) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    copyOnThreads(to_, from_, bytes_);
  }

  void OnOK() override { deferred_.Resolve(Env().Undefined()); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  Napi::ObjectReference keepTo_;
  Napi::ObjectReference keepFrom_;
  std::uint8_t* to_;
  const std::uint8_t* from_;
  std::size_t bytes_;
};

Napi::Value copyBytes(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    require(info[0].IsTypedArray() && info[1].IsTypedArray(), "copyBytes takes two Uint8Arrays");
    auto to = info[0].As<Napi::Uint8Array>();
    auto from = info[1].As<Napi::Uint8Array>();
    require(to.ByteLength() >= from.ByteLength(), "copyBytes: the target is shorter than the source");
    if (info[2].ToBoolean().Value()) {
      copyOnThreads(to.Data(), from.Data(), from.ByteLength());
      return info.Env().Undefined();
    }
    auto* copy = new Copy(info.Env(), to, from);
    const Napi::Promise promise = copy->promise();
    copy->Queue();
    return promise;
  });
}

}  // namespace

void defineSegments(Napi::Env env, Napi::Object exports) {
  exports.Set("createSegment", Napi::Function::New<createSegment>(env));
  exports.Set("mapSegment", Napi::Function::New<mapSegment>(env));
  exports.Set("openSegment", Napi::Function::New<openSegment>(env));
  exports.Set("prepareRead", Napi::Function::New<prepareRead>(env));
  exports.Set("startRead", Napi::Function::New<startRead>(env));
  exports.Set("closeReader", Napi::Function::New<closeReader>(env));
  exports.Set("copyBytes", Napi::Function::New<copyBytes>(env));
  exports.Set("lockSegment", Napi::Function::New<lockSegment>(env));
  exports.Set("unlockSegment", Napi::Function::New<unlockSegment>(env));
  exports.Set("dropSegment", Napi::Function::New<dropSegment>(env));
}

}  // namespace actors::addon
