#include "socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>

#include "actors/error.h"

namespace actors {

namespace {

void set(int descriptor, int level, int option, int value) {
  setsockopt(descriptor, level, option, &value, sizeof value);
}

/// Silence is broken by the kernel's probes: a host that is gone shows within some 7 s, whatever we wait for.
void configure(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(__linux__)
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 2);
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 5);
  set(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, 7000);
#endif
}

/// Whether `events` came by `deadline`.
bool ready(int descriptor, short events, double deadline) {
  for (;;) {
    const double left = deadline - nowMs();
    if (left <= 0) return false;
    pollfd wanted = {descriptor, events, 0};
    if (poll(&wanted, 1, static_cast<int>(std::min(left, 1e6)) + 1) > 0) return true;
  }
}

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Found resolve(const std::string& host, int port, int flags) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (code != 0)
    throw Error(ErrorCode::Io, "collective: " + host + " is no address: " + gai_strerror(code));
  return {found, &freeaddrinfo};
}

std::string text(const Address& address) { return address.host + ":" + std::to_string(address.port); }

}  // namespace

double nowMs() noexcept {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Socket::Socket(int descriptor) : descriptor_(descriptor) {
  if (descriptor >= 0) configure(descriptor);
}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::ptrdiff_t Socket::send(const void* data, std::size_t bytes) noexcept {
  const ssize_t sent = ::send(descriptor_, data, bytes, MSG_NOSIGNAL);
  if (sent >= 0) return sent;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

std::ptrdiff_t Socket::receive(void* data, std::size_t bytes) noexcept {
  const ssize_t came = recv(descriptor_, data, bytes, 0);
  if (came > 0) return came;
  return came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

bool Socket::sendAll(const std::string& text, double deadline) noexcept {
  for (std::size_t done = 0; done < text.size();) {
    if (!ready(descriptor_, POLLOUT, deadline)) return false;
    const std::ptrdiff_t sent = send(text.data() + done, text.size() - done);
    if (sent < 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

bool Socket::receiveAll(std::string& text, std::size_t bytes, double deadline) noexcept {
  text.resize(bytes);
  for (std::size_t done = 0; done < bytes;) {
    if (!ready(descriptor_, POLLIN, deadline)) return false;
    const std::ptrdiff_t came = receive(text.data() + done, bytes - done);
    if (came < 0) return false;
    done += static_cast<std::size_t>(came);
  }
  return true;
}

WakeUp::WakeUp() {
  if (pipe(ends_) != 0) throwErrno("make", "a pipe");
  for (const int end : ends_) {
    fcntl(end, F_SETFL, O_NONBLOCK);
    fcntl(end, F_SETFD, FD_CLOEXEC);
  }
}

WakeUp::~WakeUp() {
  for (const int end : ends_) close(end);
}

void WakeUp::ring() noexcept {
  const char one = 1;
  [[maybe_unused]] const ssize_t written = write(ends_[1], &one, 1);  // a full pipe is loud enough
}

Listener listenOn(const std::string& host) {
  const Found found = resolve(host, 0, AI_PASSIVE);
  const int descriptor = socket(found->ai_family, SOCK_STREAM, 0);
  if (descriptor < 0) throwErrno("open a socket on", host);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  sockaddr_storage bound = {};
  socklen_t size = sizeof bound;
  if (bind(descriptor, found->ai_addr, found->ai_addrlen) != 0 || listen(descriptor, 16) != 0 ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    const int code = errno;
    close(descriptor);
    errno = code;
    throwErrno("listen on", host);
  }
  const auto port = bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                                : reinterpret_cast<sockaddr_in*>(&bound)->sin_port;
  return {descriptor, ntohs(port)};
}

void stopListening(int descriptor) noexcept { close(descriptor); }

Socket connectTo(const Address& address, double deadline, const Cancel& cancel) {
  const Found found = resolve(address.host, address.port, 0);
  for (;;) {
    Socket made(socket(found->ai_family, SOCK_STREAM, 0));
    if (made.descriptor() < 0) throwErrno("open a socket to", text(address));
    int refused = connect(made.descriptor(), found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
    if (refused == EINPROGRESS && ready(made.descriptor(), POLLOUT, std::min(deadline, nowMs() + 1000))) {
      socklen_t size = sizeof refused;
      getsockopt(made.descriptor(), SOL_SOCKET, SO_ERROR, &refused, &size);
    }
    if (refused == 0) return made;
    cancel.check();
    if (nowMs() >= deadline) throw Error(ErrorCode::Timeout, "nothing answers at " + text(address));
    poll(nullptr, 0, 20);
  }
}

Socket acceptFrom(int listener, double deadline) {
  if (!ready(listener, POLLIN, deadline)) return {};
  return Socket(accept(listener, nullptr, nullptr));
}

}  // namespace actors
