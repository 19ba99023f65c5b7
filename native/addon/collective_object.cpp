#include "objects.h"

namespace actors::addon {

namespace {

RingOptions toRing(const Napi::Object& o) {
  RingOptions ring;
  ring.listener = static_cast<int>(integerField(o, "listener"));
  ring.rank = integerField(o, "rank");
  ring.timeoutMs = numberField(o, "timeoutMs");
  ring.secret = stringField(o, "secret");
  const Napi::Array peers = o.Get("peers").As<Napi::Array>();
  for (std::uint32_t i = 0; i < peers.Length(); i++) {
    const Napi::Value peer = peers.Get(i);
    require(peer.IsObject(), "peers must be objects of a host and a port");
    const Napi::Object address = peer.As<Napi::Object>();
    ring.peers.push_back({stringField(address, "host"), static_cast<int>(integerField(address, "port"))});
  }
  return ring;
}

Napi::Value listen(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Listener listener = listenOn(stringArgument(info, 0, "host"));
    Napi::Object o = Napi::Object::New(info.Env());
    o.Set("descriptor", listener.descriptor);
    o.Set("port", listener.port);
    return o;
  });
}

Napi::Value unlisten(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    stopListening(static_cast<int>(numberArgument(info, 0, "descriptor")));
    return info.Env().Undefined();
  });
}

}  // namespace

void CollectiveObject::define(Napi::Env env, Napi::Object exports) {
  const Napi::Function constructor = DefineClass(
      env, "Collective",
      {InstanceMethod<&CollectiveObject::allReduce>("allReduce"), InstanceMethod<&CollectiveObject::barrier>("barrier"),
       InstanceMethod<&CollectiveObject::abort>("abort"), InstanceMethod<&CollectiveObject::close>("close")});
  AddonData::of(env).collective = Napi::Persistent(constructor);
  exports.Set("collectiveJoin", Napi::Function::New<&CollectiveObject::join>(env));
  exports.Set("collectiveListen", Napi::Function::New<listen>(env));
  exports.Set("collectiveUnlisten", Napi::Function::New<unlisten>(env));
}

Napi::Value CollectiveObject::join(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const Napi::Object o = objectArgument(info, 0, "options");
    CollectiveObject* self = Unwrap(AddonData::of(info.Env()).collective.New({}));
    const auto joined = [&](auto options, auto join) {
      return self->create(info, 1, [options, join](const Cancel& cancel) {
        auto core = std::make_shared<CollectiveCore>();
        core->collective = join(options, cancel);
        return core;
      });
    };
    if (o.Get("peers").IsArray()) return joined(toRing(o), joinRing);
    return joined(SharedOptions{stringField(o, "path"), integerField(o, "rank"), integerField(o, "world"),
                                numberField(o, "timeoutMs")},
                  joinShared);
  });
}

Napi::Value CollectiveObject::allReduce(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    require(info[0].IsTypedArray() && info[0].As<Napi::TypedArray>().TypedArrayType() == napi_float32_array,
            "allReduce: x must be a Float32Array");
    const Napi::Float32Array array = info[0].As<Napi::Float32Array>();
    auto target = std::make_shared<Napi::ObjectReference>(Napi::Persistent(array.As<Napi::Object>()));
    const auto work = [core = core(), values = std::vector<float>(array.Data(), array.Data() + array.ElementLength())](
                          const Cancel& cancel) mutable {
      const std::lock_guard<std::mutex> lock(core->mutex);
      core->collective->allReduce(values.data(), static_cast<Index>(values.size()), cancel);
      return std::move(values);
    };
    return async(info, 1, work, [target](Napi::Env env, std::vector<float>& sums) -> Napi::Value {
      Napi::Float32Array out = target->Value().As<Napi::Float32Array>();
      require(out.ElementLength() == sums.size(),
              "allReduce: the array was detached or resized while its sum was computed");
      std::copy(sums.begin(), sums.end(), out.Data());
      return env.Undefined();
    });
  });
}

Napi::Value CollectiveObject::barrier(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return async(
        info, 0,
        [core = core()](const Cancel& cancel) {
          const std::lock_guard<std::mutex> lock(core->mutex);
          core->collective->barrier(cancel);
          return Nothing{};
        },
        toUndefined);
  });
}

void CollectiveObject::abort(const Napi::CallbackInfo& info) {
  guarded(info.Env(), [&] { core()->collective->abort(stringArgument(info, 0, "reason")); });
}

void CollectiveObject::close(const Napi::CallbackInfo&) {
  if (core_ != nullptr && !core_->mutex.try_lock()) {
    // A learner is inside a reduction: closing must not leave it, or its peers, waiting.
    core_->collective->abort("rank " + std::to_string(core_->collective->rank()) + " closed its end");
  } else if (core_ != nullptr) {
    core_->mutex.unlock();
  }
  AsyncObject::close();
}

}  // namespace actors::addon
