#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "actors/collective.h"

namespace actors {

/// A TCP connection that is closed with its owner. Calls never block: they do what can be done now.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor);  ///< takes it over
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();

  int descriptor() const { return descriptor_; }
  /// Bytes that went; 0 when there is no room, -1 when the other end is gone.
  std::ptrdiff_t send(const void* data, std::size_t bytes) noexcept;
  /// Bytes that came; 0 when there are none, -1 when the other end is gone.
  std::ptrdiff_t receive(void* data, std::size_t bytes) noexcept;

  /// All of it, waiting at most until `deadline`; false when that passes or the other end goes.
  bool sendAll(const std::string& text, double deadline) noexcept;
  bool receiveAll(std::string& text, std::size_t bytes, double deadline) noexcept;

 private:
  int descriptor_ = -1;
};

/// A pipe to end another thread's poll().
class WakeUp {
 public:
  WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;
  ~WakeUp();
  int descriptor() const { return ends_[0]; }
  void ring() noexcept;

 private:
  int ends_[2];
};

/// Milliseconds on a clock that only goes forward.
double nowMs() noexcept;

/// A connection to a listening address, tried again and again until `deadline`; throws Timeout naming it.
Socket connectTo(const Address& address, double deadline, const Cancel& cancel);
/// The next connection that comes in by `deadline`; an empty one when none does.
Socket acceptFrom(int listener, double deadline);

}  // namespace actors
