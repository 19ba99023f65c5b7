#include "objects.h"

namespace actors::addon {

namespace {

Napi::Value fromGenerations(Napi::Env env, std::vector<Generation>& finished) {
  Napi::Array array = Napi::Array::New(env, finished.size());
  for (std::uint32_t i = 0; i < finished.size(); i++) {
    const Generation& generation = finished[i];
    Napi::Object o = Napi::Object::New(env);
    o.Set("id", static_cast<double>(generation.id));
    o.Set("tokens", toArray(env, generation.tokens));
    o.Set("logprobs", toArray(env, generation.logprobs));
    o.Set("finish", generation.stopped ? "stop" : "length");
    o.Set("version", generation.versions.front());
    o.Set("versions", toArray(env, generation.versions));
    array.Set(i, o);
  }
  return array;
}

GenerationRequest toRequest(const Napi::Object& o) {
  GenerationRequest request;
  request.tokens = int32Field(o, "tokens");
  request.maxTokens = integerField(o, "maxTokens");
  request.temperature = numberField(o, "temperature");
  request.topK = integerField(o, "topK", 0);
  request.topP = numberField(o, "topP", 1.0);
  const Index seed = integerField(o, "seed");
  require(seed >= 0, "seed must not be negative");
  request.seed = static_cast<std::uint64_t>(seed);
  const Napi::Value stop = o.Get("stop");
  require(stop.IsArray(), "stop must be an array of token ids");
  const Napi::Array ids = stop.As<Napi::Array>();
  for (std::uint32_t i = 0; i < ids.Length(); i++) {
    const Napi::Value id = ids.Get(i);
    require(id.IsNumber(), "stop must be an array of token ids");
    request.stop.push_back(id.As<Napi::Number>().Int32Value());
  }
  const Napi::Value session = o.Get("session");
  if (!session.IsUndefined() && !session.IsNull()) request.session = stringField(o, "session");
  return request;
}

}  // namespace

void EngineObject::define(Napi::Env env, Napi::Object exports) {
  const Napi::Function constructor =
      DefineClass(env, "Engine",
                  {InstanceMethod<&EngineObject::loadWeights>("loadWeights"),
                   InstanceMethod<&EngineObject::submitRequest>("submit"), InstanceMethod<&EngineObject::run>("run"),
                   InstanceMethod<&EngineObject::abort>("abort"), InstanceMethod<&EngineObject::release>("release"),
                   InstanceMethod<&EngineObject::active>("active"), InstanceMethod<&EngineObject::close>("close")});
  AddonData::of(env).engine = Napi::Persistent(constructor);
  exports.Set("engineOpen", Napi::Function::New<&EngineObject::open>(env));
}

Napi::Value EngineObject::open(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const ModelConfig config = toConfig(objectArgument(info, 0, "config"));
    const Napi::Object options = objectArgument(info, 1, "options");
    auto core = std::make_shared<Engine>(config, integerField(options, "maxSequences"),
                                         static_cast<int>(integerField(options, "threads", 1)));
    EngineObject* self = Unwrap(AddonData::of(info.Env()).engine.New({}));
    self->core_ = std::move(core);
    return self->Value();
  });
}

Napi::Value EngineObject::loadWeights(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const double version = numberArgument(info, 1, "version");
    require(version >= 0 && version <= 0x7fffffff, "version must be an integer between 0 and 2^31 - 1");
    const auto work = [core = core(), path = stringArgument(info, 0, "path"), version](const Cancel&) {
      core->loadWeights(path, static_cast<std::int32_t>(version));
      return Nothing{};
    };
    return submit(info.Env(), loading_, Value(), info.Env().Undefined(), work, toUndefined);
  });
}

Napi::Value EngineObject::submitRequest(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return Napi::Number::New(info.Env(),
                             static_cast<double>(core()->submit(toRequest(objectArgument(info, 0, "request")))));
  });
}

Napi::Value EngineObject::run(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto steps = static_cast<Index>(numberArgument(info, 0, "maxSteps"));
    return async(
        info, 1, [core = core(), steps](const Cancel& cancel) { return core->run(steps, cancel); }, fromGenerations);
  });
}

void EngineObject::abort(const Napi::CallbackInfo& info) {
  guarded(info.Env(), [&] { core()->abort(static_cast<std::int64_t>(numberArgument(info, 0, "id"))); });
}

void EngineObject::release(const Napi::CallbackInfo& info) {
  guarded(info.Env(), [&] { core()->release(stringArgument(info, 0, "session")); });
}

Napi::Value EngineObject::active(const Napi::CallbackInfo& info) {
  return guarded(info.Env(),
                 [&]() -> Napi::Value { return Napi::Number::New(info.Env(), static_cast<double>(core()->active())); });
}

void EngineObject::close(const Napi::CallbackInfo&) {
  loading_.close();
  AsyncObject::close();
}

}  // namespace actors::addon
