#include "actors/safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "actors/error.h"
#include "actors/json.h"
#include "storage.h"

namespace actors {

namespace {

constexpr std::size_t chunkBytes = 1 << 20;
constexpr std::size_t cacheBytes = 1 << 17;
constexpr const char* checksumKey = "checksum_x8";
constexpr std::size_t checksumDigits = 16;

std::string describe(const std::vector<Index>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); i++) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

std::uint64_t elements(const std::vector<Index>& shape) {
  std::uint64_t count = 1;
  for (const Index extent : shape) count *= static_cast<std::uint64_t>(extent);
  return count;
}

std::uint64_t elementBytes(const std::string& dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "I8" || dtype == "U8" || dtype == "BOOL" || dtype == "F8_E4M3" || dtype == "F8_E5M2") return 1;
  return 0;
}

bool exactInteger(const Json& value, std::uint64_t& result) {
  if (value.kind != Json::Kind::Number || value.number < 0 || value.number > 0x1.0p53 ||
      value.number != std::floor(value.number))
    return false;
  result = static_cast<std::uint64_t>(value.number);
  return true;
}

}  // namespace

namespace {

struct Header {
  std::string text;  ///< with its length before it
  std::size_t checksumAt;
  std::uint64_t dataBytes;
};

/// The header of these tensors, one after the other; its checksum is still to be filled in.
Header headerOf(const std::vector<TensorView>& tensors, std::map<std::string, std::string> metadata, Storage storage) {
  const std::string checksum = "{\"__metadata__\":{" + quoted(checksumKey) + ":\"";
  std::string text = checksum + std::string(checksumDigits, '0') + "\"";
  for (const auto& [key, value] : metadata) text += "," + quoted(key) + ":" + quoted(value);
  text += "}";
  std::uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    const std::uint64_t end = offset + elements(tensor.shape) * elementBytes(storageName(storage));
    text += "," + quoted(tensor.name) + ":{\"dtype\":\"" + storageName(storage) + "\",\"shape\":" +
            describe(tensor.shape) + ",\"data_offsets\":[" + std::to_string(offset) + "," + std::to_string(end) + "]}";
    offset = end;
  }
  text += "}";
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();  // little-endian, as every machine we build for
  std::string prefix(sizeof length, '\0');
  std::memcpy(prefix.data(), &length, sizeof length);
  return {prefix + text, sizeof length + checksum.size(), offset};
}

}  // namespace

WrittenFile writeSafetensors(const std::string& path, const std::vector<TensorView>& tensors,
                             std::map<std::string, std::string> metadata, bool durable, Storage storage) {
  Checksum checksum;
  for (const TensorView& tensor : tensors)
    encode(tensor, storage, [&](const void* data, std::size_t size) { checksum.add(data, size); });
  Header header = headerOf(tensors, std::move(metadata), storage);
  header.text.replace(header.checksumAt, checksumDigits, checksum.hex());
  AtomicFile file(path);
  file.write(header.text.data(), header.text.size());
  for (const TensorView& tensor : tensors)
    encode(tensor, storage, [&](const void* data, std::size_t size) { file.write(data, size); });
  file.commit(durable);
  return {header.text.size() + header.dataBytes, checksum.hex()};
}

WrittenFile shareSafetensors(const std::string& path, const std::vector<TensorView>& tensors,
                             const std::string& spare) {
  Header header = headerOf(tensors, {{"format", "pt"}}, Storage::F32);
  AtomicFile file(path, spare);
  char* const memory = file.map(header.text.size() + header.dataBytes);
  char* next = memory + header.text.size();
  Checksum checksum;
  for (const TensorView& tensor : tensors) {
    encode(tensor, Storage::F32, [&](const void* data, std::size_t bytes) {
      // Piece by piece, so that the sum reads what the copy has just brought into the cache.
      for (std::size_t done = 0, size; done < bytes; done += size, next += size) {
        size = std::min(cacheBytes, bytes - done);
        std::memcpy(next, static_cast<const char*>(data) + done, size);
        checksum.add(next, size);
      }
    });
  }
  header.text.replace(header.checksumAt, checksumDigits, checksum.hex());
  std::memcpy(memory, header.text.data(), header.text.size());
  file.commit(false);
  return {header.text.size() + header.dataBytes, checksum.hex()};
}

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path) {
  constexpr std::uint64_t headerLimit = 100u << 20;
  std::uint64_t length = 0;
  if (file_.size() < sizeof length) corrupt("it is only " + std::to_string(file_.size()) + " bytes long");
  std::memcpy(&length, file_.at(0, sizeof length), sizeof length);
  if (length > headerLimit || length > file_.size() - sizeof length) {
    corrupt("its header claims " + std::to_string(length) + " bytes, the file has " + std::to_string(file_.size()));
  }
  const std::string header(file_.at(sizeof length, length), length);
  dataStart_ = sizeof length + length;
  parseHeader(header, dataStart_);
}

void SafetensorsFile::corrupt(const std::string& what) const {
  throw Error(ErrorCode::CorruptFile, path() + " is not a usable safetensors file: " + what);
}

void SafetensorsFile::parseHeader(const std::string& header, std::uint64_t dataStart) {
  const Json root = Json::parse(header, path());
  if (root.kind != Json::Kind::Object) corrupt("its header is not an object");
  const std::uint64_t dataBytes = file_.size() - dataStart;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const auto& [name, value] : root.object) {
    if (name == "__metadata__") {
      for (const auto& [key, text] : value.object) metadata_[key] = text.string;
      continue;
    }
    const Json *dtype = value.find("dtype"), *shape = value.find("shape"), *offsets = value.find("data_offsets");
    if (dtype == nullptr || shape == nullptr || offsets == nullptr || offsets->array.size() != 2) {
      corrupt("tensor " + name + " lacks dtype, shape or data_offsets");
    }
    Entry entry{dtype->string, {}, 0, 0};
    std::uint64_t begin = 0, end = 0, size = elementBytes(entry.dtype);
    if (size == 0) corrupt("tensor " + name + " has the unknown dtype " + quoted(entry.dtype));
    for (const Json& extent : shape->array) {
      std::uint64_t value64 = 0;
      if (!exactInteger(extent, value64) || (value64 != 0 && size > (std::uint64_t{1} << 53) / value64))
        corrupt("tensor " + name + " has an impossible shape");
      size *= value64;
      entry.shape.push_back(static_cast<Index>(value64));
    }
    if (!exactInteger(offsets->array[0], begin) || !exactInteger(offsets->array[1], end) || begin > end)
      corrupt("tensor " + name + " has impossible offsets");
    if (end - begin != size)
      corrupt("tensor " + name + " of shape " + describe(entry.shape) + " needs " + std::to_string(size) +
              " bytes, its offsets give " + std::to_string(end - begin));
    if (end > dataBytes)
      corrupt("it is truncated: tensor " + name + " ends at byte " + std::to_string(dataStart + end) +
              ", the file at " + std::to_string(file_.size()));
    entry.offset = dataStart + begin;
    entry.bytes = size;
    spans.emplace_back(begin, end);
    entries_.emplace(name, std::move(entry));
  }
  std::sort(spans.begin(), spans.end());
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : spans) {
    if (begin != covered) corrupt("its tensors overlap or leave a hole at data byte " + std::to_string(covered));
    covered = end;
  }
  if (covered != dataBytes) corrupt("it has " + std::to_string(dataBytes - covered) + " bytes after the last tensor");
}

const SafetensorsFile::Entry& SafetensorsFile::find(const std::string& name, const std::vector<Index>& shape) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) corrupt("tensor " + name + " is missing");
  const Entry& entry = found->second;
  if (entry.shape != shape)
    corrupt("tensor " + name + " has shape " + describe(entry.shape) + ", the model needs " + describe(shape));
  return entry;
}

const float* SafetensorsFile::view(const std::string& name, const std::vector<Index>& shape) const {
  const Entry& entry = find(name, shape);
  const char* data = file_.at(entry.offset, entry.bytes);
  const bool fits = entry.dtype == "F32" && reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0;
  return fits ? reinterpret_cast<const float*>(data) : nullptr;
}

void SafetensorsFile::read(const std::string& name, const std::vector<Index>& shape, float* values) const {
  readPart(name, shape, 0, static_cast<Index>(elements(shape)), values);
}

void SafetensorsFile::readPart(const std::string& name, const std::vector<Index>& shape, Index from, Index count,
                               float* values) const {
  const Entry& entry = find(name, shape);
  if (entry.dtype != "F32" && entry.dtype != "BF16" && entry.dtype != "F16") {
    throw Error(ErrorCode::Unsupported,
                path() + ": tensor " + name + " is " + entry.dtype + "; F32, BF16 and F16 can be read");
  }
  const std::uint64_t width = elementBytes(entry.dtype);
  inChunks(entry.offset + static_cast<std::uint64_t>(from) * width, static_cast<std::uint64_t>(count) * width,
           [&](const char* data, std::uint64_t bytes) { values = decode(data, bytes, entry.dtype, values); });
}

/// visit(data, bytes) for consecutive pieces; each is let go of afterwards, so that a read file does not count as memory.
template <class Visit>
void SafetensorsFile::inChunks(std::uint64_t offset, std::uint64_t bytes, Visit visit) const {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t size = std::min<std::uint64_t>(chunkBytes, bytes - done);
    visit(file_.at(offset + done, size), size);
    file_.release(offset + done, size);
    done += size;
  }
}

void SafetensorsFile::verify() const {
  const auto expected = metadata_.find(checksumKey);
  if (expected == metadata_.end()) return;
  Checksum checksum;
  inChunks(dataStart_, file_.size() - dataStart_,
           [&](const char* data, std::uint64_t bytes) { checksum.add(data, bytes); });
  if (checksum.hex() != expected->second)
    corrupt("its data does not match its checksum (" + checksum.hex() + " instead of " + expected->second + ")");
}

std::vector<TensorView> parameterViews(const ParameterLayout& layout, const float* values) {
  std::vector<TensorView> views;
  for (const Parameter& p : layout.all()) views.push_back({p.name, p.shape, values + p.offset});
  return views;
}

}  // namespace actors
