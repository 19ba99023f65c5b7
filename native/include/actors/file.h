#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace actors {

/// A file written beside its destination and renamed over it: readers see the old content or the new, never a part.
class AtomicFile {
 public:
  /// `spare`, where it exists, is a file that nobody needs any more and that becomes this one: in memory, pages that are
  /// there already cost half of new ones.
  explicit AtomicFile(std::string path, const std::string& spare = "");
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  ///< removes what was not committed

  void write(const void* data, std::size_t bytes);
  /// Where it will be `bytes` long, all its pages there. Valid until commit().
  char* map(std::size_t bytes);
  /// `durable` waits until the bytes are on the device, for checkpoints that must survive a power cut.
  void commit(bool durable);

 private:
  void unmap() noexcept;

  std::string path_, temporary_;
  int descriptor_;
  char* data_ = nullptr;
  std::size_t mapped_ = 0;
};

/// A file mapped for reading. Its length is checked again before each access, so that one which has shrunk meanwhile
/// gives an error; only shrinking during the access itself would be a SIGBUS, and what we write is renamed into place.
class MappedFile {
 public:
  explicit MappedFile(std::string path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// CorruptFile when the file ends earlier.
  const char* at(std::uint64_t offset, std::uint64_t bytes) const;
  /// Maps all pages at once, to stay: cheaper than one fault after the other.
  void populate();
  /// Says that these bytes are not needed for now: they stop counting as this process's memory.
  void release(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  char* data_ = nullptr;
  bool populated_ = false;
};

/// The whole of a small text file.
std::string readText(const std::string& path);

/// Creates the folder and its parents.
void makeFolder(const std::string& path);

/// 64-bit checksum of a stream of bytes, however it is cut. Eight lanes take turns at its 8-byte words, each by FNV-1a's
/// step on words, for one lane alone would wait for its own multiplications. Any change within one word is found, others
/// but for one in 2^64; no defence against intent.
class Checksum {
 public:
  void add(const void* data, std::size_t bytes);
  std::string hex() const;

 private:
  static constexpr std::size_t lanes = 8, stripe = lanes * sizeof(std::uint64_t);
  using State = std::array<std::uint64_t, lanes>;
  static void take(State& state, const unsigned char* stripes, std::size_t count);

  State state_ = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<unsigned char, stripe> rest_{};  ///< what does not fill a stripe yet
  std::uint64_t bytes_ = 0;
};

}  // namespace actors
