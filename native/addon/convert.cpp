#include "convert.h"

#include <cmath>
#include <new>
#include <system_error>

namespace actors::addon {

namespace {

Napi::Value makeError(Napi::Env env, const char* code, const std::string& message) {
  Napi::Error error = Napi::Error::New(env, message);
  error.Set("code", Napi::String::New(env, code));
  return error.Value();
}

[[noreturn]] void wrongType(const char* name, const char* expected) {
  throw Error(ErrorCode::InvalidArgument, std::string(name) + " must be " + expected);
}

double checkedNumber(const Napi::Value& value, const char* name) {
  if (!value.IsNumber()) wrongType(name, "a number");
  return value.As<Napi::Number>().DoubleValue();
}

Index checkedInteger(double value, const char* name) {
  if (value != std::floor(value) || std::abs(value) > 0x1.0p53) wrongType(name, "an integer");
  return static_cast<Index>(value);
}

bool absent(const Napi::Value& value) { return value.IsUndefined() || value.IsNull(); }

bool flagField(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (!value.IsBoolean()) wrongType(name, "a boolean");
  return value.As<Napi::Boolean>().Value();
}

template <class T, class Array>
std::vector<T> copy(const Napi::Object& object, const char* name, napi_typedarray_type type, const char* expected) {
  const Napi::Value value = object.Get(name);
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) wrongType(name, expected);
  const Array array = value.As<Array>();
  return std::vector<T>(array.Data(), array.Data() + array.ElementLength());
}

}  // namespace

Napi::Value toError(Napi::Env env, std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return makeError(env, codeName(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return makeError(env, codeName(ErrorCode::OutOfMemory), "out of memory in native code");
  } catch (const std::system_error& error) {
    return makeError(env, codeName(ErrorCode::Io), std::string("the system refused a resource: ") + error.what());
  } catch (const std::exception& error) {
    return makeError(env, codeName(ErrorCode::Internal), std::string("unexpected native failure: ") + error.what());
  } catch (...) {
    return makeError(env, codeName(ErrorCode::Internal), "unexpected native failure");
  }
}

double numberField(const Napi::Object& object, const char* name) { return checkedNumber(object.Get(name), name); }

double numberField(const Napi::Object& object, const char* name, double fallback) {
  const Napi::Value value = object.Get(name);
  return absent(value) ? fallback : checkedNumber(value, name);
}

Index integerField(const Napi::Object& object, const char* name) {
  return checkedInteger(numberField(object, name), name);
}

Index integerField(const Napi::Object& object, const char* name, Index fallback) {
  return checkedInteger(numberField(object, name, static_cast<double>(fallback)), name);
}

std::string stringField(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (!value.IsString()) wrongType(name, "a string");
  return value.As<Napi::String>().Utf8Value();
}

Napi::Object objectArgument(const Napi::CallbackInfo& info, std::size_t index, const char* name) {
  if (!info[index].IsObject()) wrongType(name, "an object");
  return info[index].As<Napi::Object>();
}

std::string stringArgument(const Napi::CallbackInfo& info, std::size_t index, const char* name) {
  if (!info[index].IsString()) wrongType(name, "a string");
  return info[index].As<Napi::String>().Utf8Value();
}

double numberArgument(const Napi::CallbackInfo& info, std::size_t index, const char* name) {
  return checkedNumber(info[index], name);
}

std::vector<std::int32_t> int32Field(const Napi::Object& object, const char* name) {
  return copy<std::int32_t, Napi::Int32Array>(object, name, napi_int32_array, "an Int32Array");
}

std::vector<float> floatField(const Napi::Object& object, const char* name) {
  return copy<float, Napi::Float32Array>(object, name, napi_float32_array, "a Float32Array");
}

std::vector<std::uint8_t> uint8Field(const Napi::Object& object, const char* name) {
  return copy<std::uint8_t, Napi::Uint8Array>(object, name, napi_uint8_array, "a Uint8Array");
}

Napi::Float32Array toArray(Napi::Env env, const std::vector<float>& values) {
  Napi::Float32Array array = Napi::Float32Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

Napi::Int32Array toArray(Napi::Env env, const std::vector<std::int32_t>& values) {
  Napi::Int32Array array = Napi::Int32Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

std::vector<std::int32_t> int32Argument(const Napi::CallbackInfo& info, std::size_t index, const char* name) {
  const Napi::Value value = info[index];
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_int32_array)
    wrongType(name, "an Int32Array");
  const Napi::Int32Array array = value.As<Napi::Int32Array>();
  return std::vector<std::int32_t>(array.Data(), array.Data() + array.ElementLength());
}

ModelConfig toConfig(const Napi::Object& o) {
  ModelConfig c;
  c.vocabSize = integerField(o, "vocabSize");
  c.dim = integerField(o, "dim");
  c.layers = integerField(o, "layers");
  c.heads = integerField(o, "heads");
  c.kvHeads = integerField(o, "kvHeads");
  c.headDim = integerField(o, "headDim");
  c.ffnDim = integerField(o, "ffnDim");
  c.ropeTheta = numberField(o, "ropeTheta");
  c.normEps = numberField(o, "normEps");
  c.tiedEmbeddings = flagField(o, "tiedEmbeddings");
  c.maxSeqLen = integerField(o, "maxSeqLen");
  c.qkvBias = !absent(o.Get("qkvBias")) && flagField(o, "qkvBias");
  c.qkNorm = !absent(o.Get("qkNorm")) && flagField(o, "qkNorm");
  if (o.Get("ropeScaling").IsObject()) {
    const Napi::Object r = o.Get("ropeScaling").As<Napi::Object>();
    c.ropeScaling = {numberField(r, "factor"), numberField(r, "lowFrequency"), numberField(r, "highFrequency"),
                     integerField(r, "originalLength")};
  }
  if (o.Get("experts").IsObject()) {
    const Napi::Object e = o.Get("experts").As<Napi::Object>();
    c.experts = {integerField(e, "count"), integerField(e, "active"), integerField(e, "ffnDim"),
                 flagField(e, "normalized")};
  }
  c.valueHead = !absent(o.Get("valueHead")) && flagField(o, "valueHead");
  c.validate();
  return c;
}

Napi::Object fromConfig(Napi::Env env, const ModelConfig& c) {
  Napi::Object o = Napi::Object::New(env);
  const auto number = [&](const char* name, double value) { o.Set(name, Napi::Number::New(env, value)); };
  number("vocabSize", static_cast<double>(c.vocabSize));
  number("dim", static_cast<double>(c.dim));
  number("layers", static_cast<double>(c.layers));
  number("heads", static_cast<double>(c.heads));
  number("kvHeads", static_cast<double>(c.kvHeads));
  number("headDim", static_cast<double>(c.headDim));
  number("ffnDim", static_cast<double>(c.ffnDim));
  number("ropeTheta", c.ropeTheta);
  number("normEps", c.normEps);
  o.Set("tiedEmbeddings", Napi::Boolean::New(env, c.tiedEmbeddings));
  number("maxSeqLen", static_cast<double>(c.maxSeqLen));
  // Optional switches are set only when on, so that the configs of plain models compare equal.
  if (c.qkvBias) o.Set("qkvBias", true);
  if (c.qkNorm) o.Set("qkNorm", true);
  if (c.ropeScaling.factor != 1.0) {
    Napi::Object r = Napi::Object::New(env);
    r.Set("factor", c.ropeScaling.factor);
    r.Set("lowFrequency", c.ropeScaling.lowFrequency);
    r.Set("highFrequency", c.ropeScaling.highFrequency);
    r.Set("originalLength", static_cast<double>(c.ropeScaling.originalLength));
    o.Set("ropeScaling", r);
  }
  if (c.sparse()) {
    Napi::Object e = Napi::Object::New(env);
    e.Set("count", static_cast<double>(c.experts.count));
    e.Set("active", static_cast<double>(c.experts.active));
    e.Set("ffnDim", static_cast<double>(c.experts.ffnDim));
    e.Set("normalized", c.experts.normalized);
    o.Set("experts", e);
  }
  if (c.valueHead) o.Set("valueHead", true);
  return o;
}

Batch toBatch(const Napi::Object& o, bool training) {
  Batch batch;
  batch.tokens = int32Field(o, "tokens");
  batch.starts = int32Field(o, "starts");
  if (!training) return batch;
  batch.lossMask = uint8Field(o, "lossMask");
  const auto optional = [&](const char* name, std::vector<float>& values) {
    if (!absent(o.Get(name))) values = floatField(o, name);
  };
  optional("advantages", batch.advantages);
  optional("oldLogp", batch.oldLogp);
  optional("rolloutLogp", batch.rolloutLogp);
  optional("refLogp", batch.refLogp);
  optional("weights", batch.weights);
  optional("coefficients", batch.coefficients);
  optional("interpolation", batch.interpolation);
  optional("returns", batch.returns);
  optional("oldValues", batch.oldValues);
  return batch;
}

LossSpec toLoss(const Napi::Object& o) {
  LossSpec loss;
  loss.rule = &findLoss(stringField(o, "kind"));
  loss.normalizer = numberField(o, "normalizer");
  const auto optional = [&](const char* name, double& value) { value = numberField(o, name, value); };
  optional("clipLow", loss.clipLow);
  optional("clipHigh", loss.clipHigh);
  optional("dualClip", loss.dualClip);
  optional("tauPositive", loss.tauPositive);
  optional("tauNegative", loss.tauNegative);
  optional("deltaLow", loss.deltaLow);
  optional("deltaHigh", loss.deltaHigh);
  optional("valueClip", loss.valueClip);
  optional("entropyCoef", loss.entropyCoef);
  optional("klCoef", loss.klCoef);
  optional("balanceCoef", loss.balanceCoef);
  if (!absent(o.Get("klEstimator"))) loss.kl = klEstimator(stringField(o, "klEstimator"));
  return loss;
}

FolderOptions toFolderOptions(const Napi::Object& o) {
  FolderOptions options;
  const std::string storage = absent(o.Get("storage")) ? "F32" : stringField(o, "storage");
  require(storage == "F32" || storage == "BF16" || storage == "F16",
          "save: storage must be \"F32\", \"BF16\" or \"F16\", got \"" + storage + "\"");
  options.storage = storage == "F32" ? Storage::F32 : storage == "BF16" ? Storage::BF16 : Storage::F16;
  const double bytes = numberField(o, "shardBytes", static_cast<double>(options.shardBytes));
  require(bytes >= 1 && bytes <= 0x1.0p53, "save: shardBytes must be a positive number");
  options.shardBytes = static_cast<std::uint64_t>(bytes);
  return options;
}

}  // namespace actors::addon
