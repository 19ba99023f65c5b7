#pragma once

#include <exception>
#include <string>
#include <vector>

#include <napi.h>

#include "actors/learner.h"

namespace actors::addon {

/// A JavaScript Error with `code`, for any C++ exception. index.ts turns it into a NativeError.
Napi::Value toError(Napi::Env env, std::exception_ptr failure);

/// Runs `body`, turning C++ exceptions into JavaScript ones: the wall every entry point stands behind.
template <class Body>
auto guarded(Napi::Env env, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const Napi::Error&) {
    throw;
  } catch (...) {
    throw Napi::Error(env, toError(env, std::current_exception()));
  }
}

// Readers of fields; each throws InvalidArgument naming the field when it is absent or of another type.
double numberField(const Napi::Object& object, const char* name);
double numberField(const Napi::Object& object, const char* name, double fallback);
Index integerField(const Napi::Object& object, const char* name);
Index integerField(const Napi::Object& object, const char* name, Index fallback);
std::string stringField(const Napi::Object& object, const char* name);
Napi::Object objectArgument(const Napi::CallbackInfo& info, std::size_t index, const char* name);
std::string stringArgument(const Napi::CallbackInfo& info, std::size_t index, const char* name);
double numberArgument(const Napi::CallbackInfo& info, std::size_t index, const char* name);

// Copies of typed array fields: the caller may change its arrays while we work.
std::vector<std::int32_t> int32Field(const Napi::Object& object, const char* name);
std::vector<float> floatField(const Napi::Object& object, const char* name);
std::vector<std::uint8_t> uint8Field(const Napi::Object& object, const char* name);

Napi::Float32Array toArray(Napi::Env env, const std::vector<float>& values);
Napi::Int32Array toArray(Napi::Env env, const std::vector<std::int32_t>& values);

std::vector<std::int32_t> int32Argument(const Napi::CallbackInfo& info, std::size_t index, const char* name);

ModelConfig toConfig(const Napi::Object& object);
Napi::Object fromConfig(Napi::Env env, const ModelConfig& config);
Batch toBatch(const Napi::Object& object, bool training);
LossSpec toLoss(const Napi::Object& object);
FolderOptions toFolderOptions(const Napi::Object& object);

}  // namespace actors::addon
