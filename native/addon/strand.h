#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include <napi.h>

#include "actors/cancel.h"

namespace actors::addon {

class Strand;

/// One asynchronous call. `work` runs on the strand; `result` builds the promise's value on the event loop.
struct Task {
  std::function<void(const Cancel&)> work;
  std::function<Napi::Value(Napi::Env)> result;
  Napi::Promise::Deferred deferred;
  Napi::ObjectReference self;  ///< keeps the JavaScript object alive
  Napi::ObjectReference flag;  ///< keeps the cancellation flag's memory alive
  const std::int32_t* flagWord = nullptr;
  std::exception_ptr failure;
};

/// Brings finished tasks of all strands of one JavaScript environment back to its event loop.
class Loop {
 public:
  explicit Loop(Napi::Env env);

  /// From any thread: `task` is over.
  void finished(std::unique_ptr<Task> task);

  // On the event loop only.
  void began();
  void enlist(Strand* strand) { strands_.insert(strand); }
  void delist(Strand* strand) { strands_.erase(strand); }

 private:
  static void shutdown(void* self);
  void drain(Napi::Env env);
  void settle(Napi::Env env, Task& task);

  Napi::Env env_;
  napi_threadsafe_function wake_ = nullptr;
  int pending_ = 0;
  bool closed_ = false;
  std::set<Strand*> strands_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<Task>> done_;
};

/// One object's thread: runs its tasks one after the other, in the order they were submitted. Started by the first.
class Strand {
 public:
  explicit Strand(std::shared_ptr<Loop> loop) : loop_(std::move(loop)) { loop_->enlist(this); }
  ~Strand();

  void submit(std::unique_ptr<Task> task);
  /// Cancels what runs, fails what waits, and refuses what comes. Does not wait.
  void close();
  /// close(), then waits for the thread; tasks it returns can no longer be settled.
  void stop();
  bool closed() const { return closing_.load(); }

 private:
  void run();

  std::shared_ptr<Loop> loop_;
  std::atomic<bool> closing_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::unique_ptr<Task>> queue_;
  std::thread thread_;
};

/// What one JavaScript environment owns.
struct AddonData {
  explicit AddonData(Napi::Env env) : loop(std::make_shared<Loop>(env)) {}
  static AddonData& of(Napi::Env env) { return *env.GetInstanceData<AddonData>(); }

  std::shared_ptr<Loop> loop;
  Napi::FunctionReference learner, engine, collective;  ///< constructors
};

}  // namespace actors::addon
