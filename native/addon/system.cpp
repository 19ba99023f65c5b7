#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <thread>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "../src/wait.h"
#include "actors/backend.h"
#include "descriptor.h"
#include "objects.h"

namespace actors::addon {

namespace {

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

#if defined(CLOCK_BOOTTIME)
constexpr clockid_t machineClock = CLOCK_BOOTTIME;  // goes on while the machine sleeps
#else
constexpr clockid_t machineClock = CLOCK_MONOTONIC;
#endif

std::int64_t machineNs() {
  timespec now;
  clock_gettime(machineClock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Kills this process at a time that is set anew again and again, even when it is stopped or will not be scheduled.
class Executioner {
 public:
  Executioner() {
#if defined(__linux__)
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    if (timer_create(machineClock, &event, &timer_) != 0) throwErrno("create", "a timer");
#endif
  }

  void killAt(std::int64_t ns) {
    if (ns <= machineNs()) ::kill(getpid(), SIGKILL);
#if defined(__linux__)
    itimerspec when{};
    when.it_value = {.tv_sec = static_cast<time_t>(ns / 1'000'000'000), .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
    timer_settime(timer_, TIMER_ABSTIME, &when, nullptr);
#endif
  }

 private:
#if defined(__linux__)
  timer_t timer_{};
#endif
};

/// On a thread of its own, so that whatever keeps JavaScript busy does not matter. Both live until the process ends.
Napi::Value dieWithLease(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    static_assert(std::atomic<std::int64_t>::is_always_lock_free);
    auto* until = static_cast<std::atomic<std::int64_t>*>(mapBytes(stringArgument(info, 0, "path"), sizeof(std::int64_t), true));
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // inherited by the thread: signals are for the others
    std::thread([until, executioner = Executioner()]() mutable {
      for (std::int64_t armed = 0;; std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
        const std::int64_t ns = until->load(std::memory_order_relaxed);
        if (ns == armed && ns > machineNs()) continue;
        executioner.killAt(ns);
        armed = ns;
      }
    }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return info.Env().Undefined();
  });
}

Napi::Value redirectOutput(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const std::string path = stringArgument(info, 0, "path");
    const Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
    if (file.number < 0) throwErrno("open", path);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})
      if (dup2(file.number, output) < 0) throwErrno("redirect output to", path);
    return info.Env().Undefined();
  });
}

Napi::Value machineMs(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(machineNs()) / 1e6);
}

Napi::Value cudaDevice(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return Napi::String::New(info.Env(), makeCudaBackend(0, true)->name());
  });
}

}  // namespace

void defineSystem(Napi::Env env, Napi::Object exports) {
  exports.Set("mapFile", Napi::Function::New<mapFile>(env));
  exports.Set("dieWithLease", Napi::Function::New<dieWithLease>(env));
  exports.Set("redirectOutput", Napi::Function::New<redirectOutput>(env));
  exports.Set("machineMs", Napi::Function::New<machineMs>(env));
  exports.Set("cudaDevice", Napi::Function::New<cudaDevice>(env));
  exports.Set("setParentDeathSignal", Napi::Function::New<setParentDeathSignal>(env));
}

}  // namespace actors::addon
