#pragma once

#include <mutex>

#include "actors/collective.h"
#include "actors/engine.h"
#include "async_object.h"

namespace actors::addon {

/// A learner and the lock that lets the event loop read its buffers between two calls.
struct LearnerCore {
  std::unique_ptr<Learner> learner;
  std::mutex mutex;
};

/// A collective and the lock that keeps two strands (its own and a learner's) from using it at once.
struct CollectiveCore {
  std::unique_ptr<Collective> collective;
  std::mutex mutex;
};

class CollectiveObject final : public AsyncObject<CollectiveObject, CollectiveCore> {
 public:
  using AsyncObject::AsyncObject;
  static void define(Napi::Env env, Napi::Object exports);
  std::shared_ptr<CollectiveCore> shared() const { return core(); }

 private:
  static Napi::Value join(const Napi::CallbackInfo& info);
  Napi::Value allReduce(const Napi::CallbackInfo& info);
  Napi::Value barrier(const Napi::CallbackInfo& info);
  void abort(const Napi::CallbackInfo& info);
  void close(const Napi::CallbackInfo& info);
};

class LearnerObject final : public AsyncObject<LearnerObject, LearnerCore> {
 public:
  using AsyncObject::AsyncObject;
  static void define(Napi::Env env, Napi::Object exports);

 private:
  static Napi::Value create(const Napi::CallbackInfo& info);
  static Napi::Value load(const Napi::CallbackInfo& info);
  Napi::Value config(const Napi::CallbackInfo& info);
  Napi::Value forwardBackward(const Napi::CallbackInfo& info);
  Napi::Value logprobs(const Napi::CallbackInfo& info);
  Napi::Value values(const Napi::CallbackInfo& info);
  Napi::Value logits(const Napi::CallbackInfo& info);
  Napi::Value shard(const Napi::CallbackInfo& info);
  Napi::Value optimStep(const Napi::CallbackInfo& info);
  Napi::Value publish(const Napi::CallbackInfo& info);
  Napi::Value saveState(const Napi::CallbackInfo& info);
  Napi::Value loadState(const Napi::CallbackInfo& info);
  Napi::Value restoreShard(const Napi::CallbackInfo& info);
  Napi::Value save(const Napi::CallbackInfo& info);
  Napi::Value adapt(const Napi::CallbackInfo& info);
  Napi::Value saveAdapters(const Napi::CallbackInfo& info);
  Napi::Value loadAdapters(const Napi::CallbackInfo& info);
  Napi::Value gradients(const Napi::CallbackInfo& info);
  Napi::Value parameters(const Napi::CallbackInfo& info);
  void close(const Napi::CallbackInfo& info);

  template <class Work, class Convert>
  Napi::Value call(const Napi::CallbackInfo& info, std::size_t flagIndex, Work work, Convert convert);
  template <class Work>
  Napi::Value command(const Napi::CallbackInfo& info, std::size_t flagIndex, Work work);
  Napi::Value tensors(Napi::Env env, float* (Learner::*buffer)());
};

class EngineObject final : public AsyncObject<EngineObject, Engine> {
 public:
  explicit EngineObject(const Napi::CallbackInfo& info) : AsyncObject(info), loading_(AddonData::of(info.Env()).loop) {}
  static void define(Napi::Env env, Napi::Object exports);

 private:
  static Napi::Value open(const Napi::CallbackInfo& info);
  Napi::Value loadWeights(const Napi::CallbackInfo& info);
  Napi::Value submitRequest(const Napi::CallbackInfo& info);
  Napi::Value run(const Napi::CallbackInfo& info);
  void abort(const Napi::CallbackInfo& info);
  void release(const Napi::CallbackInfo& info);
  void setVocabulary(const Napi::CallbackInfo& info);
  void pause(const Napi::CallbackInfo& info);
  void resume(const Napi::CallbackInfo& info);
  Napi::Value stats(const Napi::CallbackInfo& info);
  void close(const Napi::CallbackInfo& info);

  Strand loading_;  ///< weights load while run() decodes
};

/// Shared memory without names: createSegment, mapSegment, openSegment and what goes with them.
void defineSegments(Napi::Env env, Napi::Object exports);

/// mapFile, setParentDeathSignal, dieWithLease, redirectOutput and machineMs.
void defineSystem(Napi::Env env, Napi::Object exports);

}  // namespace actors::addon
