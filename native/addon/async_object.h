#pragma once

#include <memory>
#include <utility>

#include "convert.h"
#include "strand.h"

namespace actors::addon {

/// Queues work on a strand and returns its promise. `flag` is the Int32Array whose first word cancels this call.
template <class Work, class Convert>
Napi::Value submit(Napi::Env env, Strand& strand, Napi::Object self, Napi::Value flag, Work work, Convert convert) {
  using Result = decltype(work(std::declval<const Cancel&>()));
  auto task = std::unique_ptr<Task>(
      new Task{{}, {}, Napi::Promise::Deferred::New(env), Napi::Persistent(self), {}, nullptr, nullptr});
  if (flag.IsTypedArray() && flag.As<Napi::TypedArray>().TypedArrayType() == napi_int32_array) {
    task->flagWord = flag.As<Napi::Int32Array>().Data();
    task->flag = Napi::Persistent(flag.As<Napi::Object>());
  }
  auto result = std::make_shared<Result>();
  task->work = [work = std::move(work), result](const Cancel& cancel) mutable { *result = work(cancel); };
  task->result = [convert = std::move(convert), result](Napi::Env env) mutable -> Napi::Value {
    return convert(env, *result);
  };
  const Napi::Promise promise = task->deferred.Promise();
  strand.submit(std::move(task));
  return promise;
}

/// Base of the classes JavaScript sees: a core object, the strand that runs its calls, and close().
template <class Derived, class Core>
class AsyncObject : public Napi::ObjectWrap<Derived> {
 public:
  explicit AsyncObject(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<Derived>(info), strand_(AddonData::of(info.Env()).loop) {}

 protected:
  std::shared_ptr<Core> core() const {
    if (core_ == nullptr || strand_.closed()) throw Error(ErrorCode::Closed, "this object is closed");
    return core_;
  }

  /// Runs work(cancel) on the strand and resolves with convert(env, what it returned).
  template <class Work, class Convert>
  Napi::Value async(const Napi::CallbackInfo& info, std::size_t flagIndex, Work work, Convert convert) {
    return submit(info.Env(), strand_, this->Value(), info[flagIndex], std::move(work), std::move(convert));
  }

  /// Makes the core object on the strand (it reads files or waits for peers) and resolves with this object.
  template <class Make>
  Napi::Value create(const Napi::CallbackInfo& info, std::size_t flagIndex, Make make) {
    return async(info, flagIndex, std::move(make), [this](Napi::Env, std::shared_ptr<Core>& core) -> Napi::Value {
      core_ = std::move(core);
      return this->Value();
    });
  }

  void close() {
    strand_.close();
    core_.reset();
  }

  std::shared_ptr<Core> core_;  ///< tasks share it, so it outlives close() until the last of them is over
  Strand strand_;
};

/// For work that returns nothing of interest.
struct Nothing {};
inline Napi::Value toUndefined(Napi::Env env, Nothing&) { return env.Undefined(); }

}  // namespace actors::addon
