#pragma once

#include <stdexcept>
#include <string>

namespace actors {

/// What went wrong, in the words the TypeScript side shows as `NativeError.code`.
enum class ErrorCode {
  InvalidArgument,  ///< the caller's mistake; the message names the argument
  Io,               ///< the operating system refused: missing file, no space, no permission
  CorruptFile,      ///< a file exists but does not hold what its header promises
  Unsupported,      ///< a well-formed request this build cannot serve
  Aborted,          ///< cancelled through a signal, or by a peer of a collective
  Timeout,          ///< a peer did not arrive in time, or died
  OutOfMemory,
  NotReady,  ///< called too early, e.g. generation before the first weights
  Closed,    ///< the object was closed
  Internal,
};

const char* codeName(ErrorCode code) noexcept;

/// The only exception the core throws on purpose. The message is one sentence that names the thing and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Throws InvalidArgument unless `ok`.
inline void require(bool ok, const std::string& message) {
  if (!ok) throw Error(ErrorCode::InvalidArgument, message);
}

/// Io error for a failed system call; reads errno, and explains a full disk in plain words.
[[noreturn]] void throwErrno(const std::string& action, const std::string& path);

}  // namespace actors
