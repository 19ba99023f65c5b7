// The frames of protos/sandbox.proto on stdin and stdout: a little-endian u32 length, then one SandboxRun (in) or one
// SandboxResults (out). Coded by hand: eight small messages do not pay for a protobuf library inside every sandbox.
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
  enum class Kind { none, reset, write, read, list, exec, remove, kill, input, settle } kind = Kind::none;
  std::vector<File> files;          // reset: all of them; write: one
  std::string path;                 // read, list, remove
  std::vector<std::string> argv;    // exec
  std::string input;                // exec, input
  uint32_t timeout_ms = 0, max_output = 0;
  std::string shell, cwd;           // exec
  std::vector<std::string> env;     // exec
  bool stream = false, open_stdin = false;
  std::string tag;                  // exec, kill, input
  uint32_t run = 0;                 // kill
  std::string signal;               // kill
  bool close = false;               // input
};

struct Result {
  bool ok = true;
  std::string data, err;
  int exit_code = 0;
  std::string signal;
  bool timed_out = false, truncated = false;
  std::vector<std::string> names;
  std::string error;                // "ENOENT: path" when not ok
  std::string kinds, stdout_log, stderr_log, cwd;
  bool shell_lost = false;
};

// False when the bytes are not a SandboxRun; unknown fields are skipped.
bool decode_run(std::string_view bytes, std::vector<Op>& ops, uint32_t& id);
std::string encode_results(const std::vector<Result>& results, uint32_t id);
std::string encode_output(uint32_t id, std::string_view out, std::string_view err);

enum class Frame { ok, end, broken };
Frame read_frame(int fd, std::string& bytes, uint32_t max_bytes);
bool write_frame(int fd, std::string_view bytes);
