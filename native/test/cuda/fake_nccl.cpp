// Stands in for NCCL, which needs a GPU: writes every call, in order and with its sizes, to a log that the test reads.

#include <cstddef>
#include <cstdio>
#include <string>

namespace {
std::string recorded;
const char* base = nullptr;  // the array that offsets are told from
int failNext = 0;

template <class... Arguments>
int record(const char* format, Arguments... arguments) {
  char line[200];
  std::snprintf(line, sizeof line, format, arguments...);
  recorded += line;
  const int status = failNext;
  failNext = 0;
  return status;
}
long offset(const void* pointer) { return static_cast<long>((static_cast<const char*>(pointer) - base) / 4); }
struct UniqueId {
  char bytes[128];
};
}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API const char* fakeNcclRecorded() { return recorded.c_str(); }
API void fakeNcclBegin(const void* array, int failFirst) {
  recorded.clear();
  base = static_cast<const char*>(array);
  failNext = failFirst;
}

API int ncclGetUniqueId(UniqueId* id) {
  for (int i = 0; i < 128; i++) id->bytes[i] = static_cast<char>(i);
  return 0;
}
API int ncclCommInitRank(void** communicator, int world, UniqueId id, int rank) {
  *communicator = &recorded;
  return record("init %d of %d, id %d..%d\n", rank, world, id.bytes[0], id.bytes[127]);
}
API int ncclCommDestroy(void*) { return record("destroy\n"); }
API int ncclCommAbort(void*) { return record("abort\n"); }
API const char* ncclGetErrorString(int status) { return status == 5 ? "invalid usage" : "unhandled cuda error"; }
API int ncclGroupStart() { return record("(\n"); }
API int ncclGroupEnd() { return record(")\n"); }
API int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int operation, void*, void*) {
  return record("allReduce %ld %ld %zu type %d op %d\n", offset(from), offset(to), count, type, operation);
}
API int ncclReduceScatter(const void* from, void* to, std::size_t count, int type, int operation, void*, void*) {
  return record("reduceScatter %ld %ld %zu type %d op %d\n", offset(from), offset(to), count, type, operation);
}
API int ncclAllGather(const void* from, void* to, std::size_t count, int type, void*, void*) {
  return record("allGather %ld %ld %zu type %d\n", offset(from), offset(to), count, type);
}
API int ncclReduce(const void* from, void* to, std::size_t count, int type, int operation, int root, void*, void*) {
  return record("reduce %ld %ld %zu type %d op %d root %d\n", offset(from), offset(to), count, type, operation, root);
}
API int ncclBroadcast(const void* from, void* to, std::size_t count, int type, int root, void*, void*) {
  return record("broadcast %ld %ld %zu type %d root %d\n", offset(from), offset(to), count, type, root);
}
