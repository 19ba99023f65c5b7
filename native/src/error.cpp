#include "actors/error.h"

#include <cerrno>
#include <cstring>

namespace actors {

const char* codeName(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::InvalidArgument: return "INVALID_ARGUMENT";
    case ErrorCode::Io: return "IO";
    case ErrorCode::CorruptFile: return "CORRUPT_FILE";
    case ErrorCode::Unsupported: return "UNSUPPORTED";
    case ErrorCode::Aborted: return "ABORTED";
    case ErrorCode::Timeout: return "TIMEOUT";
    case ErrorCode::OutOfMemory: return "OUT_OF_MEMORY";
    case ErrorCode::NotReady: return "NOT_READY";
    case ErrorCode::Closed: return "CLOSED";
    case ErrorCode::Internal: return "INTERNAL";
  }
  return "INTERNAL";
}

void throwErrno(const std::string& action, const std::string& path) {
  const int code = errno;
  if (code == ENOSPC || code == EDQUOT) {
    throw Error(ErrorCode::Io, "the disk is full: could not " + action + " " + path +
                                   "; free some space there or choose another folder");
  }
  if (code == ENOMEM) throw Error(ErrorCode::OutOfMemory, "out of memory: could not " + action + " " + path);
  throw Error(ErrorCode::Io, "could not " + action + " " + path + ": " + std::strerror(code));
}

}  // namespace actors
