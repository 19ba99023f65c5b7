#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

// Reads tag by tag. Any malformed byte sets `bad` and ends the loop; nothing is read past the end.
struct Reader {
  const uint8_t *at, *end;
  bool bad = false;
  uint32_t field = 0, kind = 0;
  uint64_t number = 0;
  std::string_view bytes;

  explicit Reader(std::string_view s) : at(reinterpret_cast<const uint8_t*>(s.data())), end(at + s.size()) {}

  uint64_t varint() {
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == end) break;
      const uint8_t b = *at++;
      v |= uint64_t(b & 127) << shift;
      if (b < 128) return v;
    }
    bad = true;
    return 0;
  }

  bool skip(size_t n) {
    if (size_t(end - at) < n) bad = true;
    else at += n;
    return !bad;
  }

  bool next() {
    if (bad || at == end) return false;
    const uint64_t tag = varint();
    field = uint32_t(tag >> 3);
    kind = tag & 7;
    if (bad) return false;
    if (kind == 0) number = varint();
    else if (kind == 1) skip(8);
    else if (kind == 5) skip(4);
    else if (kind == 2) {
      const uint64_t n = varint();
      if (bad || n > size_t(end - at)) bad = true;
      else {
        bytes = {reinterpret_cast<const char*>(at), size_t(n)};
        at += n;
      }
    } else bad = true;
    return !bad;
  }
  bool is(uint32_t f, uint32_t k) const { return field == f && kind == k; }
};

bool decode_file(std::string_view s, File& f) {
  Reader r(s);
  while (r.next()) {
    if (r.is(1, 2)) f.path = r.bytes;
    else if (r.is(2, 2)) f.content = r.bytes;
    else if (r.is(3, 0)) f.mode = uint32_t(r.number);
  }
  return !r.bad;
}

bool decode_exec(std::string_view s, Op& op) {
  Reader r(s);
  while (r.next()) {
    if (r.is(1, 2)) op.argv.emplace_back(r.bytes);
    else if (r.is(2, 0)) op.timeout_ms = uint32_t(r.number);
    else if (r.is(3, 2)) op.input = r.bytes;
    else if (r.is(4, 0)) op.max_output = uint32_t(r.number);
    else if (r.is(5, 2)) op.shell = r.bytes;
    else if (r.is(6, 2)) op.cwd = r.bytes;
    else if (r.is(7, 2)) op.env.emplace_back(r.bytes);
    else if (r.is(8, 0)) op.stream = r.number != 0;
    else if (r.is(9, 0)) op.open_stdin = r.number != 0;
    else if (r.is(10, 2)) op.tag = r.bytes;
  }
  return !r.bad;
}

bool decode_kill(std::string_view s, Op& op) {
  Reader r(s);
  while (r.next()) {
    if (r.is(1, 0)) op.run = uint32_t(r.number);
    else if (r.is(2, 2)) op.signal = r.bytes;
    else if (r.is(3, 2)) op.tag = r.bytes;
  }
  return !r.bad;
}

bool decode_input(std::string_view s, Op& op) {
  Reader r(s);
  while (r.next()) {
    if (r.is(1, 2)) op.tag = r.bytes;
    else if (r.is(2, 2)) op.input = r.bytes;
    else if (r.is(3, 0)) op.close = r.number != 0;
  }
  return !r.bad;
}

bool decode_op(std::string_view s, Op& op) {
  Reader r(s);
  while (r.next()) {
    if (r.is(9, 0)) op.kind = Op::Kind::settle;
    if (r.kind != 2) continue;
    if (r.field == 1) {
      op.kind = Op::Kind::reset;
      Reader files(r.bytes);
      while (files.next())
        if (files.is(1, 2) && !decode_file(files.bytes, op.files.emplace_back())) return false;
      if (files.bad) return false;
    } else if (r.field == 2) {
      op.kind = Op::Kind::write;
      if (!decode_file(r.bytes, op.files.emplace_back())) return false;
    } else if (r.field == 3 || r.field == 4 || r.field == 6) {
      op.kind = r.field == 3 ? Op::Kind::read : r.field == 4 ? Op::Kind::list : Op::Kind::remove;
      op.path = r.bytes;
    } else if (r.field == 5) {
      op.kind = Op::Kind::exec;
      if (!decode_exec(r.bytes, op)) return false;
    } else if (r.field == 7) {
      op.kind = Op::Kind::kill;
      if (!decode_kill(r.bytes, op)) return false;
    } else if (r.field == 8) {
      op.kind = Op::Kind::input;
      if (!decode_input(r.bytes, op)) return false;
    }
  }
  return !r.bad;
}

void put_varint(std::string& out, uint64_t v) {
  for (; v > 127; v >>= 7) out += char(v | 128);
  out += char(v);
}
void put_bytes(std::string& out, uint32_t field, std::string_view s, bool always = false) {
  if (s.empty() && !always) return;
  put_varint(out, field << 3 | 2);
  put_varint(out, s.size());
  out += s;
}
void put_number(std::string& out, uint32_t field, uint64_t v) {
  if (v == 0) return;
  put_varint(out, field << 3);
  put_varint(out, v);
}

// True when all `n` bytes came; false at the end of the stream (with `n` left unread) or on an error.
bool read_exactly(int fd, char* to, size_t n, bool& any) {
  while (n > 0) {
    const ssize_t k = read(fd, to, n);
    if (k > 0) {
      any = true;
      to += k;
      n -= size_t(k);
    } else if (k < 0 && errno == EAGAIN) {
      pollfd p{fd, POLLIN, 0};
      poll(&p, 1, -1);
    } else if (k == 0 || errno != EINTR) return false;
  }
  return true;
}

}  // namespace

bool decode_run(std::string_view bytes, std::vector<Op>& ops, uint32_t& id) {
  Reader r(bytes);
  while (r.next()) {
    if (r.is(2, 2) && !decode_op(r.bytes, ops.emplace_back())) return false;
    if (r.is(3, 0)) id = uint32_t(r.number);
  }
  return !r.bad;
}

std::string encode_output(uint32_t id, std::string_view out, std::string_view err) {
  std::string bytes;
  put_number(bytes, 2, id);
  put_bytes(bytes, 3, out);
  put_bytes(bytes, 4, err);
  return bytes;
}

std::string encode_results(const std::vector<Result>& results, uint32_t id) {
  std::string out, one;
  for (const Result& r : results) {
    one.clear();
    put_number(one, 1, r.ok);
    put_bytes(one, 2, r.data);
    put_bytes(one, 3, r.err);
    put_number(one, 4, uint32_t(r.exit_code) << 1 ^ uint32_t(r.exit_code >> 31));
    put_bytes(one, 5, r.signal);
    put_number(one, 6, r.timed_out);
    put_number(one, 7, r.truncated);
    for (const std::string& n : r.names) put_bytes(one, 8, n, true);
    put_bytes(one, 9, r.error);
    put_bytes(one, 10, r.kinds);
    put_bytes(one, 11, r.stdout_log);
    put_bytes(one, 12, r.stderr_log);
    put_bytes(one, 13, r.cwd);
    put_number(one, 14, r.shell_lost);
    put_bytes(out, 1, one, true);
  }
  put_number(out, 2, id);
  return out;
}

Frame read_frame(int fd, std::string& bytes, uint32_t max_bytes) {
  uint8_t head[4];
  bool any = false;
  if (!read_exactly(fd, reinterpret_cast<char*>(head), 4, any)) return any ? Frame::broken : Frame::end;
  const uint32_t n = head[0] | head[1] << 8 | head[2] << 16 | uint32_t(head[3]) << 24;
  if (n > max_bytes) return Frame::broken;
  bytes.resize(n);
  return read_exactly(fd, bytes.data(), n, any) ? Frame::ok : Frame::broken;
}

bool write_frame(int fd, std::string_view bytes) {
  const uint32_t n = uint32_t(bytes.size());
  uint8_t head[4] = {uint8_t(n), uint8_t(n >> 8), uint8_t(n >> 16), uint8_t(n >> 24)};
  iovec parts[2] = {{head, 4}, {const_cast<char*>(bytes.data()), bytes.size()}};
  int first = 0;
  while (first < 2) {
    ssize_t k = writev(fd, parts + first, 2 - first);
    if (k < 0 && errno == EAGAIN) {
      pollfd p{fd, POLLOUT, 0};
      poll(&p, 1, -1);
      continue;
    }
    if (k < 0 && errno == EINTR) continue;
    if (k < 0) return false;
    while (first < 2 && size_t(k) >= parts[first].iov_len) k -= ssize_t(parts[first++].iov_len);
    if (first < 2) {
      parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + k;
      parts[first].iov_len -= size_t(k);
    }
  }
  return true;
}
