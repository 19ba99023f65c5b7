#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/file.h"
#include "actors/model.h"

namespace actors {

/// How values are stored in a file; in memory they are fp32.
enum class Storage { F32, BF16, F16 };

/// A tensor to write: fp32 values in memory.
struct TensorView {
  std::string name;
  std::vector<Index> shape;
  const float* data;
};

struct WrittenFile {
  std::uint64_t bytes;
  std::string checksum;  ///< of the tensor data, also kept in the file's metadata
};

/// Writes the safetensors format (github.com/huggingface/safetensors), atomically. Metadata gets a checksum added.
/// Values are rounded to the nearest of `storage`; InvalidArgument names a tensor that overflows F16.
WrittenFile writeSafetensors(const std::string& path, const std::vector<TensorView>& tensors,
                             std::map<std::string, std::string> metadata, bool durable, Storage storage = Storage::F32);

/// The same as F32 for readers of this host, in memory: not synced, and in the place of `spare` (see AtomicFile).
WrittenFile shareSafetensors(const std::string& path, const std::vector<TensorView>& tensors,
                             const std::string& spare = "");

/// A safetensors file with its header checked: every tensor lies inside the file, sizes match shapes, nothing overlaps.
class SafetensorsFile {
 public:
  struct Entry {
    std::string dtype;
    std::vector<Index> shape;
    std::uint64_t offset, bytes;  ///< offset from the start of the file
  };

  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::map<std::string, Entry>& entries() const { return entries_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// Reads a tensor of exactly this shape as fp32 (from F32, BF16 or F16), straight from the mapped file. CorruptFile
  /// when it is missing or differs.
  void read(const std::string& name, const std::vector<Index>& shape, float* values) const;

  /// The same of `count` values from `from` on.
  void readPart(const std::string& name, const std::vector<Index>& shape, Index from, Index count, float* values) const;

  /// The values of such a tensor where they lie in the mapped file; null unless they are F32. Valid while the file is.
  const float* view(const std::string& name, const std::vector<Index>& shape) const;

  /// All of it will be read at once: see MappedFile.
  void populate() { file_.populate(); }

  /// Recomputes the checksum of the data when the file carries one; CorruptFile on a difference.
  void verify() const;

 private:
  [[noreturn]] void corrupt(const std::string& what) const;
  const Entry& find(const std::string& name, const std::vector<Index>& shape) const;
  template <class Visit>
  void inChunks(std::uint64_t offset, std::uint64_t bytes, Visit visit) const;
  void parseHeader(const std::string& header, std::uint64_t dataStart);

  MappedFile file_;
  std::uint64_t dataStart_ = 0;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> metadata_;
};

/// The views of a flat parameter buffer, in layout order.
std::vector<TensorView> parameterViews(const ParameterLayout& layout, const float* values);

}  // namespace actors
