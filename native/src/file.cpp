#include "actors/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "actors/error.h"

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

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), temporary_(temporaryName(path_)) {
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throwErrno("create", path_);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
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

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throwErrno("open", path_);
  struct stat status;
  const bool known = fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    if (!known) throwErrno("inspect", path_);
    throw Error(ErrorCode::Io, "could not read " + path_ + ": it is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read(std::uint64_t offset, void* data, std::size_t bytes) const {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = pread(descriptor_, next, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throwErrno("read", path_);
    if (got == 0)
      throw Error(ErrorCode::CorruptFile, path_ + " is truncated: it ends at byte " + std::to_string(offset));
    next += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

std::string readText(const std::string& path) {
  const InputFile file(path);
  constexpr std::uint64_t limit = 64u << 20;
  if (file.size() > limit) throw Error(ErrorCode::CorruptFile, path + " is too large to be a text file of ours");
  std::string text(file.size(), '\0');
  file.read(0, text.data(), text.size());
  return text;
}

void makeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    errno = error.value();
    throwErrno("create the folder", path);
  }
}

void Checksum::add(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const unsigned char*>(data);
  while (bytes > 0) {
    std::uint64_t word = 0;
    const std::size_t step = bytes < 8 ? bytes : 8;
    std::memcpy(&word, next, step);
    state_ = (state_ ^ word) * 0x100000001b3u;
    state_ ^= state_ >> 29;
    next += step;
    bytes -= step;
  }
}

std::string Checksum::hex() const {
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(state_));
  return text.data();
}

}  // namespace actors
