// The frames of protos/sandbox.proto on stdin and stdout: a little-endian u32 length, then one SandboxRun (in) or one
// SandboxResults (out). Coded by hand: six small messages do not pay for a protobuf library inside every sandbox.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct File {
  std::string path, content;
  uint32_t mode = 0;
};

struct Op {
  enum class Kind { none, reset, write, read, list, exec } kind = Kind::none;
  std::vector<File> files;          // reset: all of them; write: one
  std::string path;                 // read, list
  std::vector<std::string> argv;    // exec
  std::string input;                // exec
  uint32_t timeout_ms = 0, max_output = 0;
};

struct Result {
  bool ok = true;
  std::string data, err;
  int exit_code = 0;
  std::string signal;
  bool timed_out = false, truncated = false;
  std::vector<std::string> names;
  std::string error;                // "ENOENT: path" when not ok
};

// False when the bytes are not a SandboxRun; unknown fields are skipped.
bool decode_run(std::string_view bytes, std::vector<Op>& ops);
std::string encode_results(const std::vector<Result>& results);

enum class Frame { ok, end, broken };
Frame read_frame(int fd, std::string& bytes, uint32_t max_bytes);
bool write_frame(int fd, std::string_view bytes);
