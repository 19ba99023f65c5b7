#include "objects.h"

namespace actors::addon {

namespace {

const char* finishName(Finish finish) {
  return finish == Finish::Stop ? "stop" : finish == Finish::Length ? "length" : "abort";
}

Napi::Value fromGenerations(Napi::Env env, std::vector<Generation>& finished) {
  Napi::Array array = Napi::Array::New(env, finished.size());
  for (std::uint32_t i = 0; i < finished.size(); i++) {
    const Generation& generation = finished[i];
    Napi::Object o = Napi::Object::New(env);
    o.Set("id", static_cast<double>(generation.id));
    o.Set("tokens", toArray(env, generation.tokens));
    o.Set("logprobs", toArray(env, generation.logprobs));
    o.Set("finish", finishName(generation.finish));
    if (generation.stopString.empty()) o.Set("stopString", env.Null());
    else o.Set("stopString", generation.stopString);
    o.Set("version", generation.versions.empty() ? -1 : generation.versions.front());
    o.Set("versions", toArray(env, generation.versions));
    o.Set("topTokens", toArray(env, generation.topTokens));
    o.Set("topLogprobs", toArray(env, generation.topLogprobs));
    array.Set(i, o);
  }
  return array;
}

template <class Visit>
void forEachItem(const Napi::Object& object, const char* field, const char* wrong, Visit visit) {
  const Napi::Value value = object.Get(field);
  require(value.IsArray(), wrong);
  const Napi::Array items = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i < items.Length(); i++) visit(items.Get(i), wrong);
}

PauseMode toPauseMode(const std::string& name) {
  if (name == "keep") return PauseMode::Keep;
  if (name == "wait") return PauseMode::Wait;
  require(name == "abort", "pause: the mode must be keep, wait or abort, not " + name);
  return PauseMode::Abort;
}

KvPolicy toKvPolicy(const std::string& name) {
  if (name == "keep") return KvPolicy::Keep;
  require(name == "recompute", "loadWeights: kv must be keep or recompute, not " + name);
  return KvPolicy::Recompute;
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
  request.minP = numberField(o, "minP", 0.0);
  request.repetitionPenalty = numberField(o, "repetitionPenalty", 1.0);
  request.presencePenalty = numberField(o, "presencePenalty", 0.0);
  request.frequencyPenalty = numberField(o, "frequencyPenalty", 0.0);
  request.minTokens = integerField(o, "minTokens", 0);
  request.logprobs = integerField(o, "logprobs", 0);
  forEachItem(o, "stop", "stop must be an array of token ids", [&](const Napi::Value& id, const char* wrong) {
    require(id.IsNumber(), wrong);
    request.stop.push_back(id.As<Napi::Number>().Int32Value());
  });
  const char* texts = "stopStrings must be an array of strings";
  if (o.Has("stopStrings")) {
    forEachItem(o, "stopStrings", texts, [&](const Napi::Value& text, const char* wrong) {
      require(text.IsString(), wrong);
      request.stopStrings.push_back(text.As<Napi::String>().Utf8Value());
    });
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
                   InstanceMethod<&EngineObject::setVocabulary>("setVocabulary"),
                   InstanceMethod<&EngineObject::pause>("pause"), InstanceMethod<&EngineObject::resume>("resume"),
                   InstanceMethod<&EngineObject::stats>("stats"), InstanceMethod<&EngineObject::close>("close")});
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
    const KvPolicy kv = toKvPolicy(stringArgument(info, 2, "kv"));
    const auto work = [core = core(), path = stringArgument(info, 0, "path"), version, kv](const Cancel&) {
      core->loadWeights(path, static_cast<std::int32_t>(version), kv);
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

/// setVocabulary(bytes, ends): token i is bytes [ends[i - 1], ends[i]).
void EngineObject::setVocabulary(const Napi::CallbackInfo& info) {
  guarded(info.Env(), [&] {
    require(info[0].IsTypedArray(), "the vocabulary must be a Uint8Array and an Int32Array");
    const Napi::Uint8Array bytes = info[0].As<Napi::Uint8Array>();
    const char* text = reinterpret_cast<const char*>(bytes.Data());
    std::vector<std::string> tokens;
    std::int32_t from = 0;
    for (const std::int32_t end : int32Argument(info, 1, "ends")) {
      const bool rising = end >= from && static_cast<std::size_t>(end) <= bytes.ByteLength();
      require(rising, "the vocabulary's ends must not fall");
      tokens.emplace_back(text + from, text + end);
      from = end;
    }
    core()->setVocabulary(std::move(tokens));
  });
}

void EngineObject::pause(const Napi::CallbackInfo& info) {
  guarded(info.Env(), [&] {
    core()->pause(toPauseMode(stringArgument(info, 0, "mode")), info[1].ToBoolean());
  });
}

void EngineObject::resume(const Napi::CallbackInfo& info) {
  guarded(info.Env(), [&] { core()->resume(); });
}

Napi::Value EngineObject::stats(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const EngineStats stats = core()->stats();
    Napi::Object o = Napi::Object::New(info.Env());
    o.Set("active", static_cast<double>(stats.active));
    o.Set("running", static_cast<double>(stats.running));
    o.Set("computed", static_cast<double>(stats.computed));
    o.Set("reused", static_cast<double>(stats.reused));
    return o;
  });
}

void EngineObject::close(const Napi::CallbackInfo&) {
  loading_.close();
  AsyncObject::close();
}

}  // namespace actors::addon
