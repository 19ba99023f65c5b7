#include "../src/cpu/kernels.h"
#include "objects.h"

namespace actors::addon {

Napi::Object init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new AddonData(env));
  CollectiveObject::define(env, exports);
  LearnerObject::define(env, exports);
  EngineObject::define(env, exports);
  defineSegments(env, exports);
  defineSystem(env, exports);
  exports.Set("isa", cpu::kernels().name);
  return exports;
}

NODE_API_MODULE(actors_native, init)

}  // namespace actors::addon
