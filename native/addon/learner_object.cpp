#include "objects.h"

namespace actors::addon {

namespace {

struct Logprobs {
  std::vector<float> logp, entropy;
};

Napi::Value fromStats(Napi::Env env, LossStats& stats) {
  Napi::Object o = Napi::Object::New(env);
  o.Set("loss", stats.loss);
  o.Set("entropy", stats.entropy);
  o.Set("clipFraction", stats.clipFraction);
  o.Set("ratioMax", stats.ratioMax);
  o.Set("tokens", stats.tokens);
  o.Set("balance", stats.balance);
  o.Set("klOld", stats.klOld);
  o.Set("klRef", stats.klRef);
  return o;
}

Napi::Value fromStep(Napi::Env env, StepResult& step) {
  Napi::Object o = Napi::Object::New(env);
  o.Set("gradNorm", step.gradNorm);
  o.Set("skipped", step.skipped);
  o.Set("reason", step.skipped ? Napi::String::New(env, step.reason).As<Napi::Value>() : env.Null());
  return o;
}

Napi::Value fromWritten(Napi::Env env, WrittenFile& file) {
  Napi::Object o = Napi::Object::New(env);
  o.Set("bytes", static_cast<double>(file.bytes));
  o.Set("checksum", file.checksum);
  return o;
}

LoraOptions toLora(const Napi::Object& o) {
  LoraOptions options;
  options.rank = integerField(o, "rank");
  options.alpha = numberField(o, "alpha");
  const Napi::Value targets = o.Get("targets");
  require(targets.IsArray(), "targets must be an array");
  for (std::uint32_t i = 0; i < targets.As<Napi::Array>().Length(); i++)
    options.targets.push_back(targets.As<Napi::Array>().Get(i).ToString().Utf8Value());
  return options;
}

int threadsOf(const Napi::Value& options) {
  return options.IsObject() ? static_cast<int>(integerField(options.As<Napi::Object>(), "threads", 1)) : 1;
}

/// A learner's peers, or none.
std::shared_ptr<CollectiveCore> ranksArgument(const Napi::CallbackInfo& info, std::size_t index) {
  if (!info[index].IsObject()) return nullptr;
  const Napi::Object object = info[index].As<Napi::Object>();
  require(object.InstanceOf(AddonData::of(info.Env()).collective.Value()), "ranks must be a Collective");
  return CollectiveObject::Unwrap(object)->shared();
}

bool flagOf(const Napi::Value& options, const char* name) {
  return options.IsObject() && options.As<Napi::Object>().Get(name).ToBoolean().Value();
}

}  // namespace

void LearnerObject::define(Napi::Env env, Napi::Object exports) {
  const Napi::Function constructor = DefineClass(
      env, "Learner",
      {InstanceMethod<&LearnerObject::config>("config"),
       InstanceMethod<&LearnerObject::forwardBackward>("forwardBackward"),
       InstanceMethod<&LearnerObject::logprobs>("logprobs"), InstanceMethod<&LearnerObject::values>("values"),
       InstanceMethod<&LearnerObject::logits>("logits"),
       InstanceMethod<&LearnerObject::shard>("shard"),
       InstanceMethod<&LearnerObject::optimStep>("optimStep"), InstanceMethod<&LearnerObject::publish>("publish"),
       InstanceMethod<&LearnerObject::saveState>("saveState"), InstanceMethod<&LearnerObject::loadState>("loadState"),
       InstanceMethod<&LearnerObject::restoreShard>("restoreShard"),
       InstanceMethod<&LearnerObject::adapt>("adapt"), InstanceMethod<&LearnerObject::saveAdapters>("saveAdapters"),
       InstanceMethod<&LearnerObject::loadAdapters>("loadAdapters"),
       InstanceMethod<&LearnerObject::save>("save"), InstanceMethod<&LearnerObject::gradients>("gradients"),
       InstanceMethod<&LearnerObject::parameters>("parameters"), InstanceMethod<&LearnerObject::close>("close")});
  AddonData::of(env).learner = Napi::Persistent(constructor);
  exports.Set("learnerCreate", Napi::Function::New<&LearnerObject::create>(env));
  exports.Set("learnerLoad", Napi::Function::New<&LearnerObject::load>(env));
}

Napi::Value LearnerObject::create(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const ModelConfig config = toConfig(objectArgument(info, 0, "config"));
    const double seed = numberArgument(info, 1, "seed");
    require(seed >= 0 && seed <= 0x1.0p53, "seed must be an integer between 0 and 2^53");
    auto core = std::make_shared<LearnerCore>();
    core->learner = std::make_unique<Learner>(config, static_cast<std::uint64_t>(seed), threadsOf(info[2]));
    core->learner->gradientCheckpointing(flagOf(info[2], "gradientCheckpointing"));
    LearnerObject* self = Unwrap(AddonData::of(info.Env()).learner.New({}));
    self->core_ = std::move(core);
    return self->Value();
  });
}

Napi::Value LearnerObject::load(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const std::string folder = stringArgument(info, 0, "dir");
    LearnerObject* self = Unwrap(AddonData::of(info.Env()).learner.New({}));
    const bool valueHead = flagOf(info[1], "valueHead"), recompute = flagOf(info[1], "gradientCheckpointing");
    return self->AsyncObject::create(info, 2, [folder, valueHead, recompute, threads = threadsOf(info[1])](const Cancel&) {
      auto core = std::make_shared<LearnerCore>();
      core->learner = Learner::load(folder, threads, valueHead);
      core->learner->gradientCheckpointing(recompute);
      return core;
    });
  });
}

/// work(learner, cancel) on the strand, under the core's lock.
template <class Work, class Convert>
Napi::Value LearnerObject::call(const Napi::CallbackInfo& info, std::size_t flagIndex, Work work, Convert convert) {
  return async(
      info, flagIndex,
      [core = core(), work = std::move(work)](const Cancel& cancel) mutable {
        const std::lock_guard<std::mutex> lock(core->mutex);
        return work(*core->learner, cancel);
      },
      convert);
}

template <class Work>
Napi::Value LearnerObject::command(const Napi::CallbackInfo& info, std::size_t flagIndex, Work work) {
  return call(
      info, flagIndex,
      [work = std::move(work)](Learner& learner, const Cancel& cancel) mutable {
        work(learner, cancel);
        return Nothing{};
      },
      toUndefined);
}

Napi::Value LearnerObject::config(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return fromConfig(info.Env(), core()->learner->config()); });
}

Napi::Value LearnerObject::forwardBackward(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return call(
        info, 2,
        [batch = toBatch(objectArgument(info, 0, "batch"), true), loss = toLoss(objectArgument(info, 1, "loss"))](
            Learner& learner, const Cancel& cancel) { return learner.forwardBackward(batch, loss, cancel); },
        fromStats);
  });
}

Napi::Value LearnerObject::logprobs(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto work = [batch = toBatch(objectArgument(info, 0, "batch"), false)](Learner& learner,
                                                                                 const Cancel& cancel) {
      Logprobs out{std::vector<float>(batch.tokens.size()), std::vector<float>(batch.tokens.size())};
      learner.logprobs(batch, out.logp.data(), out.entropy.data(), cancel);
      return out;
    };
    return call(info, 1, work, [](Napi::Env env, Logprobs& out) -> Napi::Value {
      Napi::Object o = Napi::Object::New(env);
      o.Set("logp", toArray(env, out.logp));
      o.Set("entropy", toArray(env, out.entropy));
      return o;
    });
  });
}

Napi::Value LearnerObject::values(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto work = [batch = toBatch(objectArgument(info, 0, "batch"), false)](Learner& learner,
                                                                                 const Cancel& cancel) {
      std::vector<float> values(batch.tokens.size());
      learner.values(batch, values.data(), cancel);
      return values;
    };
    return call(info, 1, work,
                [](Napi::Env env, std::vector<float>& out) -> Napi::Value { return toArray(env, out); });
  });
}

Napi::Value LearnerObject::logits(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return call(
        info, 1,
        [tokens = int32Argument(info, 0, "tokens")](Learner& learner, const Cancel& cancel) {
          return learner.logits(tokens, cancel);
        },
        [](Napi::Env env, std::vector<float>& out) -> Napi::Value { return toArray(env, out); });
  });
}

Napi::Value LearnerObject::shard(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto rank = static_cast<Index>(numberArgument(info, 0, "rank"));
    const auto world = static_cast<Index>(numberArgument(info, 1, "world"));
    return command(info, 2, [rank, world](Learner& learner, const Cancel&) { learner.shard(rank, world); });
  });
}

Napi::Value LearnerObject::optimStep(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const Napi::Object o = objectArgument(info, 0, "options");
    AdamwOptions options;
    options.lr = numberField(o, "lr");
    options.beta1 = numberField(o, "beta1", options.beta1);
    options.beta2 = numberField(o, "beta2", options.beta2);
    options.eps = numberField(o, "eps", options.eps);
    options.weightDecay = numberField(o, "weightDecay", options.weightDecay);
    options.maxGradNorm = numberField(o, "maxGradNorm", options.maxGradNorm);
    const auto work = [options, ranks = ranksArgument(info, 1)](Learner& learner, const Cancel& cancel) {
      if (ranks == nullptr) return learner.optimStep(options);
      const std::lock_guard<std::mutex> lock(ranks->mutex);
      return learner.optimStep(options, ranks->collective.get(), cancel);
    };
    return call(info, 2, work, fromStep);
  });
}

Napi::Value LearnerObject::restoreShard(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto work = [path = stringArgument(info, 0, "path"), ranks = ranksArgument(info, 1)](Learner& learner,
                                                                                               const Cancel& cancel) {
      if (ranks == nullptr) return learner.restoreShard(path, nullptr);
      const std::lock_guard<std::mutex> lock(ranks->mutex);
      learner.restoreShard(path, ranks->collective.get(), cancel);
    };
    return command(info, 2, work);
  });
}

Napi::Value LearnerObject::publish(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return call(
        info, 2,
        [path = stringArgument(info, 0, "path"), spare = info[1].IsString() ? stringArgument(info, 1, "spare") : ""](
            Learner& learner, const Cancel&) { return learner.publish(path, spare); },
        fromWritten);
  });
}

Napi::Value LearnerObject::saveState(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return command(info, 1, [path = stringArgument(info, 0, "path")](Learner& learner, const Cancel&) {
      learner.saveState(path);
    });
  });
}

Napi::Value LearnerObject::loadState(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    require(info[0].IsArray(), "shards must be an array of paths");
    const Napi::Array paths = info[0].As<Napi::Array>();
    std::vector<std::string> shards;
    for (std::uint32_t i = 0; i < paths.Length(); i++) shards.push_back(paths.Get(i).ToString().Utf8Value());
    return command(info, 1, [shards](Learner& learner, const Cancel&) { learner.loadState(shards); });
  });
}

Napi::Value LearnerObject::save(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return command(info, 2,
                   [dir = stringArgument(info, 0, "dir"), options = toFolderOptions(objectArgument(info, 1, "options"))](
                       Learner& learner, const Cancel&) { learner.save(dir, options); });
  });
}

Napi::Value LearnerObject::adapt(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const double seed = numberArgument(info, 1, "seed");
    require(seed >= 0 && seed <= 0x1.0p53, "seed must be an integer between 0 and 2^53");
    return command(info, 2, [options = toLora(objectArgument(info, 0, "lora")), seed](Learner& learner, const Cancel&) {
      learner.adapt(options, static_cast<std::uint64_t>(seed));
    });
  });
}

Napi::Value LearnerObject::saveAdapters(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return command(info, 1, [dir = stringArgument(info, 0, "dir")](Learner& learner, const Cancel&) {
      learner.saveAdapters(dir);
    });
  });
}

Napi::Value LearnerObject::loadAdapters(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return command(info, 1, [dir = stringArgument(info, 0, "dir")](Learner& learner, const Cancel&) {
      learner.loadAdapters(dir);
    });
  });
}

Napi::Value LearnerObject::tensors(Napi::Env env, float* (Learner::*buffer)()) {
  const auto held = core();
  const std::lock_guard<std::mutex> lock(held->mutex);
  Napi::Object o = Napi::Object::New(env);
  const float* values = ((*held->learner).*buffer)();
  for (const Parameter& p : held->learner->layout().all()) {
    Napi::Float32Array array = Napi::Float32Array::New(env, static_cast<std::size_t>(p.size));
    std::copy(values + p.offset, values + p.offset + p.size, array.Data());
    o.Set(p.name, array);
  }
  return o;
}

Napi::Value LearnerObject::gradients(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return tensors(info.Env(), &Learner::gradients); });
}

Napi::Value LearnerObject::parameters(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return tensors(info.Env(), &Learner::parameters); });
}

void LearnerObject::close(const Napi::CallbackInfo&) { AsyncObject::close(); }

}  // namespace actors::addon
