#include "actors/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "actors/error.h"
#include "wait.h"

namespace actors {

namespace {

std::string temporaryName(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return path + ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
}

void syncFolder(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const int descriptor = open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(std::string path, const std::string& spare)
    : path_(std::move(path)), temporary_(temporaryName(path_)) {
  if (!spare.empty()) rename(spare.c_str(), temporary_.c_str());
  descriptor_ = open(temporary_.c_str(), O_RDWR | O_CREAT | (spare.empty() ? O_TRUNC : 0) | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throwErrno("create", path_);
}

AtomicFile::~AtomicFile() {
  unmap();
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void AtomicFile::unmap() noexcept {
  if (data_ != nullptr) munmap(std::exchange(data_, nullptr), mapped_);
}

char* AtomicFile::map(std::size_t bytes) {
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0 || !reserveFile(descriptor_, bytes))
    throwErrno("write", path_);
#if defined(MAP_POPULATE)
  constexpr int flags = MAP_SHARED | MAP_POPULATE;
#else
  constexpr int flags = MAP_SHARED;
#endif
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor_, 0);
  if (memory == MAP_FAILED) throwErrno("map", path_);
  data_ = static_cast<char*>(memory);
  mapped_ = bytes;
  return data_;
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, next, bytes);
    if (written < 0) {
      if (errno == EINTR) continue;
      throwErrno("write", path_);
    }
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit(bool durable) {
  unmap();
  if (durable && fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) throwErrno("write", path_);
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 || rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int code = errno;
    unlink(temporary_.c_str());
    errno = code;
    throwErrno("write", path_);
  }
  if (durable) syncFolder(path_);
}

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throwErrno("open", path_);
  const auto failed = [&](const char* action) {
    const int code = errno;
    close(descriptor_);
    errno = code;
    throwErrno(action, path_);
  };
  struct stat status;
  if (fstat(descriptor_, &status) != 0) failed("inspect");
  if (!S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw Error(ErrorCode::Io, "could not read " + path_ + ": it is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ == 0) return;
  void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (memory == MAP_FAILED) failed("map");
  data_ = static_cast<char*>(memory);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      data_(std::exchange(other.data_, nullptr)),
      populated_(other.populated_) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

const char* MappedFile::at(std::uint64_t offset, std::uint64_t bytes) const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) throwErrno("inspect", path_);
  const std::uint64_t end = std::min(size_, static_cast<std::uint64_t>(status.st_size));
  if (offset > end || bytes > end - offset)
    throw Error(ErrorCode::CorruptFile, path_ + " is truncated: it ends at byte " + std::to_string(end));
  return data_ + offset;
}

void MappedFile::populate() {
#if defined(MADV_POPULATE_READ)
  populated_ = size_ > 0 && madvise(data_, size_, MADV_POPULATE_READ) == 0;
#endif
}

void MappedFile::release(std::uint64_t offset, std::uint64_t bytes) const {
  if (populated_) return;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = (offset + page - 1) / page * page, last = (offset + bytes) / page * page;
  if (last > first) madvise(data_ + first, last - first, MADV_DONTNEED);
}

std::string readText(const std::string& path) {
  const MappedFile file(path);
  constexpr std::uint64_t limit = 64u << 20;
  if (file.size() > limit) throw Error(ErrorCode::CorruptFile, path + " is too large to be a text file of ours");
  return std::string(file.at(0, file.size()), file.size());
}

void makeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    errno = error.value();
    throwErrno("create the folder", path);
  }
}

namespace {
std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x100000001b3u;
  return state ^ state >> 29;
}
}  // namespace

void Checksum::take(State& state, const unsigned char* stripes, std::size_t count) {
  State s = state;  // in registers
  for (; count > 0; count--, stripes += stripe) {
    State words;
    std::memcpy(words.data(), stripes, stripe);
    for (std::size_t lane = 0; lane < lanes; lane++) s[lane] = mixed(s[lane], words[lane]);
  }
  state = s;
}

void Checksum::add(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const unsigned char*>(data);
  const std::size_t filled = bytes_ % stripe;
  bytes_ += bytes;
  if (filled > 0) {
    const std::size_t count = std::min(bytes, stripe - filled);
    std::memcpy(rest_.data() + filled, next, count);
    if (filled + count < stripe) return;
    take(state_, rest_.data(), 1);
    next += count;
    bytes -= count;
  }
  take(state_, next, bytes / stripe);
  std::memcpy(rest_.data(), next + bytes / stripe * stripe, bytes % stripe);
}

std::string Checksum::hex() const {
  State state = state_;
  std::array<unsigned char, stripe> padded{};
  std::memcpy(padded.data(), rest_.data(), bytes_ % stripe);
  take(state, padded.data(), 1);
  std::uint64_t total = bytes_;
  for (const std::uint64_t lane : state) total = mixed(total, lane);
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(total));
  return text.data();
}

}  // namespace actors
