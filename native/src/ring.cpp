#include "ring.h"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <random>
#include <thread>
#include <utility>

#include "cpu/kernels.h"
#include "sha256.h"

namespace actors {

namespace {

constexpr std::size_t frameBytes = 1 << 16, nonceBytes = 32;
constexpr double handshakeMs = 2000;  ///< for a stranger that says nothing
constexpr double newsMs = 1000;       ///< for the news of another rank's failure to come around
constexpr double quietMs = 500;       ///< after which a rank that waits says so
constexpr int sliceMs = 50;           ///< how often a sleeper looks for cancellation

/// Waiting: whoever sends it waits for another rank itself.
enum class FrameKind : std::uint32_t { Data = 1, Waiting, Failed, Left };

/// Before each piece of data (call, n: of the exchange) and each reason (call: the error's code). Little-endian, as
/// every machine we build for.
struct Frame {
  FrameKind kind;
  std::uint32_t bytes;
  std::uint64_t call, n;
};

std::string framed(FrameKind kind, ErrorCode code, const std::string& reason) {
  const Frame frame{kind, static_cast<std::uint32_t>(reason.size()), static_cast<std::uint64_t>(code), 0};
  std::string text(sizeof frame, '\0');
  std::memcpy(text.data(), &frame, sizeof frame);
  return text + reason;
}

std::string randomText() {
  std::random_device device;
  std::string text(nonceBytes, '\0');
  for (char& c : text) c = static_cast<char>(device());
  return text;
}

/// What each side of a new connection proves: that it knows the secret, and which ranks it takes both sides for.
std::string proof(const RingOptions& o, const char* side, Index from, Index to, const std::string& nonces) {
  const Digest digest = hmacSha256(o.secret, std::string(side) + " " + std::to_string(from) + " " + std::to_string(to) +
                                                 " " + std::to_string(o.peers.size()) + " " + nonces);
  return {digest.begin(), digest.end()};
}

bool sameText(const std::string& a, const std::string& b) {
  unsigned difference = a.size() != b.size();
  for (std::size_t i = 0; i < a.size() && i < b.size(); i++) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

std::string nameOf(Index rank) { return "rank " + std::to_string(rank); }

}  // namespace

/// A part of an array on its way to the next rank, in frames.
struct Ring::Outgoing {
  Frame frame;
  const char* data;
  std::size_t left;         ///< of the data
  std::size_t inFrame = 0;  ///< bytes of the frame that went, header included
  bool open = true;

  Outgoing(const float* out, Index count, std::uint64_t call, Index n)
      : frame{FrameKind::Data, 0, call, static_cast<std::uint64_t>(n)},
        data(reinterpret_cast<const char*>(out)),
        left(static_cast<std::size_t>(count) * sizeof(float)) {
    begin();
  }
  void begin() {
    frame.bytes = static_cast<std::uint32_t>(std::min(left, frameBytes));
    inFrame = 0;
  }
  bool between() const { return inFrame == 0; }

  /// False when the other end is gone.
  bool advance(Socket& to) {
    while (open) {
      const bool header = inFrame < sizeof frame;
      const char* from = header ? reinterpret_cast<const char*>(&frame) + inFrame : data;
      const std::size_t wanted = header ? sizeof frame - inFrame : sizeof frame + frame.bytes - inFrame;
      const std::ptrdiff_t sent = to.send(from, wanted);
      if (sent <= 0) return sent == 0;
      inFrame += static_cast<std::size_t>(sent);
      if (!header) {
        data += sent;
        left -= static_cast<std::size_t>(sent);
      }
      if (inFrame < sizeof frame + frame.bytes) continue;
      open = left > 0;
      begin();
    }
    return true;
  }
};

/// A part of an array on its way from the previous rank.
struct Ring::Incoming {
  Frame frame{};
  std::uint64_t call;
  Index n;
  char* data;
  std::size_t left;
  std::size_t inFrame = 0;
  bool open = true;
  bool heard = false;  ///< the previous rank takes part

  Incoming(float* in, Index count, std::uint64_t c, Index length)
      : call(c), n(length), data(reinterpret_cast<char*>(in)), left(static_cast<std::size_t>(count) * sizeof(float)) {}
};

Ring::Ring(const RingOptions& o, const Cancel& cancel)
    : Collective(o.rank, static_cast<Index>(o.peers.size())), timeoutMs_(o.timeoutMs) {
  const Listener listener{o.listener, 0};
  try {
    require(timeoutMs_ > 0, "collective: timeoutMs must be positive");
    require(!o.secret.empty(), "collective: a ring needs a secret");
    require(rank() >= 0 && rank() < world(), "collective: " + nameOf(rank()) + " is outside a world of " +
                                                 std::to_string(world()));
    if (world() > 1) meet(o, cancel);
  } catch (...) {
    stopListening(listener.descriptor);
    throw;
  }
  stopListening(listener.descriptor);
}

Ring::~Ring() {
  const std::string word = framed(FrameKind::Left, ErrorCode::Timeout, nameOf(rank()) + " left the group");
  if (world() == 1 || failed_) return;
  next_.send(word.data(), word.size());
  previous_.send(word.data(), word.size());
}

/// Connects to the next rank and takes the previous one's connection, at once: each waits for the other side's answer.
void Ring::meet(const RingOptions& o, const Cancel& cancel) {
  const double deadline = nowMs() + timeoutMs_;
  std::exception_ptr failure;
  std::thread connecting([&] {
    try {
      const Address& address = o.peers[static_cast<std::size_t>(nextRank())];
      Socket made = connectTo(address, deadline, cancel);
      const std::string mine = randomText();
      std::string theirs, answer;
      if (!made.receiveAll(theirs, nonceBytes, deadline) ||
          !made.sendAll(mine + proof(o, "connects", rank(), nextRank(), theirs + mine), deadline) ||
          !made.receiveAll(answer, sizeof(Digest), deadline))
        throw Error(ErrorCode::Timeout, "collective: " + nameOf(nextRank()) + " did not answer at " + address.host +
                                            ":" + std::to_string(address.port));
      if (!sameText(answer, proof(o, "accepts", rank(), nextRank(), theirs + mine)))
        throw Error(ErrorCode::InvalidArgument, "collective: " + nameOf(nextRank()) + " has another secret");
      next_ = std::move(made);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  while (previous_.descriptor() < 0 && nowMs() < deadline && !cancel.requested()) {
    Socket came = acceptFrom(o.listener, std::min(deadline, nowMs() + sliceMs));
    if (came.descriptor() < 0) continue;
    const double patience = std::min(deadline, nowMs() + handshakeMs);
    const std::string mine = randomText();
    std::string hello;
    if (!came.sendAll(mine, patience) || !came.receiveAll(hello, nonceBytes + sizeof(Digest), patience)) continue;
    const std::string nonces = mine + hello.substr(0, nonceBytes);
    if (!sameText(hello.substr(nonceBytes), proof(o, "connects", previousRank(), rank(), nonces))) continue;
    if (came.sendAll(proof(o, "accepts", previousRank(), rank(), nonces), patience)) previous_ = std::move(came);
  }
  connecting.join();
  cancel.check();
  if (failure != nullptr) std::rethrow_exception(failure);
  if (previous_.descriptor() < 0)
    throw Error(ErrorCode::Timeout, "collective: " + nameOf(previousRank()) + " did not join within " +
                                        std::to_string(static_cast<long long>(timeoutMs_)) + " ms");
}

void Ring::exchange(Index n, const float* out, Index outCount, float* in, Index inCount, const Cancel& cancel) {
  throwIfFailed();
  calls_++;
  Outgoing outgoing(out, outCount, calls_, n);
  Incoming incoming(in, inCount, calls_, n);
  double deadline = nowMs() + timeoutMs_, said = nowMs();
  try {
    while (outgoing.open || incoming.open) {
      const std::size_t before = outgoing.left + incoming.left;
      if (outgoing.open && !outgoing.advance(next_)) lost(nextRank());
      if (incoming.open) take(incoming);
      if (outgoing.left + incoming.left != before || std::exchange(incoming.heard, false)) deadline = nowMs() + timeoutMs_;
      // So that the next rank blames the one that is late, not the one between.
      if (!outgoing.open && incoming.open && nowMs() - said > std::min(quietMs, timeoutMs_ / 4)) {
        const std::string word = framed(FrameKind::Waiting, ErrorCode::Timeout, "");
        next_.send(word.data(), word.size());
        said = nowMs();
      }
      if (outgoing.open || incoming.open) wait(outgoing, incoming, cancel, deadline);
      throwIfFailed();
    }
  } catch (const Error& error) {
    fail(error.code(), error.what());
    if (outgoing.between() && !nextLeft_) {
      const std::lock_guard<std::mutex> lock(mutex_);
      const std::string news = framed(FrameKind::Failed, code_, reason_);
      next_.send(news.data(), news.size());
    }
    cancel.check();
    throwIfFailed();
  }
}

void Ring::wait(const Outgoing& outgoing, const Incoming& incoming, const Cancel& cancel, double deadline) {
  const short events = static_cast<short>((outgoing.open ? POLLOUT : 0) | POLLIN);
  pollfd wanted[] = {{wake_.descriptor(), POLLIN, 0},
                     {incoming.open ? previous_.descriptor() : -1, POLLIN, 0},
                     {nextLeft_ ? -1 : next_.descriptor(), events, 0}};
  poll(wanted, 3, sliceMs);
  if (wanted[2].revents & (POLLIN | POLLHUP | POLLERR) && !hear()) lost(nextRank());
  if (nextLeft_ && outgoing.open) throw Error(ErrorCode::Timeout, nameOf(nextRank()) + " left the group");
  if (cancel.requested()) {
    throw Error(ErrorCode::Aborted, nameOf(rank()) + " was cancelled");
  }
  if (nowMs() < deadline) return;
  const std::string late = nameOf(incoming.open ? previousRank() : nextRank());
  throw Error(ErrorCode::Timeout,
              late + " did not take part within " + std::to_string(static_cast<long long>(timeoutMs_)) + " ms");
}

void Ring::take(Incoming& in) {
  while (in.open) {
    const bool header = in.inFrame < sizeof in.frame;
    char* to = header ? reinterpret_cast<char*>(&in.frame) + in.inFrame : in.data;
    const std::size_t wanted = header ? sizeof in.frame - in.inFrame : sizeof in.frame + in.frame.bytes - in.inFrame;
    const std::ptrdiff_t came = previous_.receive(to, wanted);
    if (came < 0) return lost(previousRank());
    if (came == 0) return;
    in.inFrame += static_cast<std::size_t>(came);
    if (!header) {
      in.data += came;
      in.left -= static_cast<std::size_t>(came);
    }
    if (in.inFrame < sizeof in.frame) continue;
    if (header && in.frame.kind == FrameKind::Waiting) {
      in.heard = true;
      in.inFrame = 0;
      continue;
    }
    if (header && in.frame.kind != FrameKind::Data) {
      std::string reason;
      if (!previous_.receiveAll(reason, std::min<std::size_t>(in.frame.bytes, frameBytes), nowMs() + newsMs))
        return lost(previousRank());
      throw Error(static_cast<ErrorCode>(in.frame.call), reason);
    }
    if (header && (in.frame.call != in.call || in.frame.n != static_cast<std::uint64_t>(in.n) || in.frame.bytes > in.left))
      throw Error(ErrorCode::InvalidArgument, nameOf(rank()) + " brought " + std::to_string(in.n) + " floats, " +
                                                  nameOf(previousRank()) + " " + std::to_string(in.frame.n));
    if (in.inFrame < sizeof in.frame + in.frame.bytes) continue;
    in.inFrame = 0;
    in.open = in.left > 0;
  }
}

bool Ring::hear() {
  std::string text;
  if (!next_.receiveAll(text, sizeof(Frame), nowMs() + newsMs)) return false;
  Frame frame;
  std::memcpy(&frame, text.data(), sizeof frame);
  if (!next_.receiveAll(text, std::min<std::size_t>(frame.bytes, frameBytes), nowMs() + newsMs)) return false;
  if (frame.kind == FrameKind::Left) nextLeft_ = true;
  else fail(static_cast<ErrorCode>(frame.call), text);
  return true;
}

/// Whose end was found by sending to it may have said before why it ends; what it said can still be read.
void Ring::lost(Index peer) {
  const double until = nowMs() + newsMs;
  while (!nextLeft_ && nowMs() < until) {
    throwIfFailed();
    pollfd wanted = {next_.descriptor(), POLLIN, 0};
    if (poll(&wanted, 1, sliceMs) > 0 && !hear()) break;
  }
  throwIfFailed();
  throw Error(ErrorCode::Timeout, nameOf(peer) + " died");
}

void Ring::fail(ErrorCode code, const std::string& reason) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failed_) return;
  failed_ = true;
  code_ = code;
  reason_ = reason;
  const std::string news = framed(FrameKind::Failed, code, reason);
  previous_.send(news.data(), news.size());
  wake_.ring();
}

void Ring::abort(const std::string& reason) noexcept { fail(ErrorCode::Aborted, reason); }

void Ring::throwIfFailed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failed_) throw Error(code_, "collective: " + reason_ + "; start the group again");
}

void Ring::reduceScatter(float* x, Index n, const Cancel& cancel) {
  throwIfFailed();
  if (world() == 1) return;
  const auto shardBehind = [&](Index steps) { return shardOf(n, (rank() - steps + 2 * world()) % world(), world()); };
  arriving_.resize(static_cast<std::size_t>((n + world() - 1) / world()) * 2);
  // Partial sums arrive in one half while those that arrived before go on from the other.
  float *sums = arriving_.data(), *spare = sums + arriving_.size() / 2;
  const float* out = x + shardBehind(1).first;
  for (Index step = 1; step < world(); step++) {
    const Shard going = shardBehind(step), coming = shardBehind(step + 1);
    exchange(n, out, going.size(), sums, coming.size(), cancel);
    const float* both[] = {sums, x + coming.first};
    const bool last = step + 1 == world();
    cpu::kernels().sumRanks(both, 2, last ? x + coming.first : sums, coming.size());
    out = sums;
    std::swap(sums, spare);
  }
}

void Ring::allGather(float* x, Index n, const Cancel& cancel) {
  throwIfFailed();
  for (Index step = 0; step + 1 < world(); step++) {
    const Shard going = shardOf(n, (rank() - step + world()) % world(), world());
    const Shard coming = shardOf(n, (rank() - step - 1 + world()) % world(), world());
    exchange(n, x + going.first, going.size(), x + coming.first, coming.size(), cancel);
  }
}

void Ring::barrier(const Cancel& cancel) { allGather(nullptr, 0, cancel); }

}  // namespace actors
