#include "nccl.h"

#include <cstring>

#include "actors/error.h"

namespace actors::cuda {

namespace {

// From nccl.h, the same since NCCL 2.10.
constexpr int fp32 = 7, sum = 0;
constexpr std::size_t idBytes = 128;
struct UniqueId {
  char bytes[idBytes];
};

}  // namespace

struct NcclGroup::Table {
  int (*getUniqueId)(UniqueId* id);
  int (*initRank)(void** communicator, int world, UniqueId id, int rank);
  int (*destroy)(void* communicator);
  int (*abort)(void* communicator);
  const char* (*errorString)(int status);
  int (*groupStart)();
  int (*groupEnd)();
  int (*allReduce)(const void* from, void* to, std::size_t count, int type, int operation, void* communicator,
                   Stream stream);
  int (*reduceScatter)(const void* from, void* to, std::size_t countEach, int type, int operation, void* communicator,
                       Stream stream);
  int (*allGather)(const void* from, void* to, std::size_t countEach, int type, void* communicator, Stream stream);
  int (*reduce)(const void* from, void* to, std::size_t count, int type, int operation, int root, void* communicator,
                Stream stream);
  int (*broadcast)(const void* from, void* to, std::size_t count, int type, int root, void* communicator,
                   Stream stream);

  Table() {
    const Library library({"libnccl.so.2"}, {"nccl/lib"},
                          "install it (`pip install nvidia-nccl-cu13`), or name its folder in ACTORS_CUDA_LIBS");
    library.load("ncclGetUniqueId", getUniqueId);
    library.load("ncclCommInitRank", initRank);
    library.load("ncclCommDestroy", destroy);
    library.load("ncclCommAbort", abort);
    library.load("ncclGetErrorString", errorString);
    library.load("ncclGroupStart", groupStart);
    library.load("ncclGroupEnd", groupEnd);
    library.load("ncclAllReduce", allReduce);
    library.load("ncclReduceScatter", reduceScatter);
    library.load("ncclAllGather", allGather);
    library.load("ncclReduce", reduce);
    library.load("ncclBroadcast", broadcast);
  }
};

const NcclGroup::Table& NcclGroup::table() {
  static const Table table;
  return table;
}

void NcclGroup::check(int status, const char* call) const {
  if (status == 0) return;
  throw Error(ErrorCode::Aborted, std::string(call) + " failed on rank " + std::to_string(rank_) + " of " +
                                      std::to_string(world_) + ": " + table_.errorString(status));
}

std::string NcclGroup::uniqueId() {
  UniqueId id;
  if (const int status = table().getUniqueId(&id); status != 0)
    throw Error(ErrorCode::Unsupported, std::string("ncclGetUniqueId failed: ") + table().errorString(status));
  return {id.bytes, idBytes};
}

NcclGroup::NcclGroup(const std::string& id, Index rank, Index world, Stream stream)
    : table_(table()), rank_(rank), world_(world), stream_(stream) {
  require(id.size() == idBytes, "NCCL: an id has " + std::to_string(idBytes) + " bytes");
  require(world >= 1 && rank >= 0 && rank < world, "NCCL: rank must be between 0 and world - 1");
  UniqueId bytes;
  std::memcpy(bytes.bytes, id.data(), idBytes);
  check(table_.initRank(&communicator_, static_cast<int>(world), bytes, static_cast<int>(rank)), "ncclCommInitRank");
}

NcclGroup::~NcclGroup() {
  if (communicator_ != nullptr) table_.destroy(communicator_);
}

/// body(rank, first float of its part, length) within one group of calls.
template <class Body>
void NcclGroup::forEachPart(Index n, Body body) {
  check(table_.groupStart(), "ncclGroupStart");
  for (Index rank = 0; rank < world_; rank++) {
    const Index first = bound(n, rank), length = bound(n, rank + 1) - first;
    if (length > 0) body(static_cast<int>(rank), first, static_cast<std::size_t>(length));
  }
  check(table_.groupEnd(), "ncclGroupEnd");
}

void NcclGroup::allReduce(float* x, Index n) {
  if (n > 0)
    check(table_.allReduce(x, x, static_cast<std::size_t>(n), fp32, sum, communicator_, stream_), "ncclAllReduce");
}

void NcclGroup::reduceScatter(float* x, Index n) {
  if (n % world_ == 0 && n > 0) {
    const auto each = static_cast<std::size_t>(n / world_);
    check(table_.reduceScatter(x, x + bound(n, rank_), each, fp32, sum, communicator_, stream_), "ncclReduceScatter");
    return;
  }
  forEachPart(n, [&](int root, Index first, std::size_t length) {
    check(table_.reduce(x + first, x + first, length, fp32, sum, root, communicator_, stream_), "ncclReduce");
  });
}

void NcclGroup::allGather(float* x, Index n) {
  if (n % world_ == 0 && n > 0) {
    const auto each = static_cast<std::size_t>(n / world_);
    check(table_.allGather(x + bound(n, rank_), x, each, fp32, communicator_, stream_), "ncclAllGather");
    return;
  }
  forEachPart(n, [&](int root, Index first, std::size_t length) {
    check(table_.broadcast(x + first, x + first, length, fp32, root, communicator_, stream_), "ncclBroadcast");
  });
}

void NcclGroup::abort() noexcept {
  if (communicator_ != nullptr) table_.abort(communicator_);
  communicator_ = nullptr;
}

}  // namespace actors::cuda
