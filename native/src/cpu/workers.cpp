#include "workers.h"

#include <chrono>

namespace actors::cpu {

namespace {

constexpr auto patience = std::chrono::microseconds(20);  ///< waking a thread takes about as long

/// Looks until `ready`, or in vain for a moment.
template <class Ready>
void spin(Ready ready) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < 32; i++) {
      if (ready()) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < deadline);
}

}  // namespace

Workers::Workers(int threads) {
  for (int worker = 1; worker < threads; worker++) threads_.emplace_back([this, worker] { loop(worker); });
}

Workers::~Workers() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::parallel(std::ptrdiff_t pieces, const std::function<void(std::ptrdiff_t, int)>& body) {
  if (threads_.empty() || pieces <= 1) {
    for (std::ptrdiff_t piece = 0; piece < pieces; piece++) body(piece, 0);
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  body_ = &body;
  next_ = 0;
  pieces_ = pieces;
  failure_ = nullptr;
  open_ = true;
  if (asleep_ > 0) wake_.notify_all();
  drain(0, lock);
  open_ = false;
  if (running_ > 0) {
    lock.unlock();
    spin([this] { return running_ == 0; });
    lock.lock();
  }
  done_.wait(lock, [this] { return running_ == 0; });
  body_ = nullptr;
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void Workers::drain(int worker, std::unique_lock<std::mutex>& lock) {
  while (next_ < pieces_) {
    const std::ptrdiff_t piece = next_++;
    running_++;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*body_)(piece, worker);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    running_--;
    if (failure != nullptr) {
      if (failure_ == nullptr) failure_ = failure;
      next_ = pieces_;
    }
  }
}

void Workers::loop(int worker) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    lock.unlock();
    spin([this] { return open_ || stopping_; });
    lock.lock();
    asleep_++;
    wake_.wait(lock, [this] { return stopping_ || (body_ != nullptr && next_ < pieces_); });
    asleep_--;
    if (stopping_) return;
    drain(worker, lock);
    if (running_ == 0) done_.notify_one();
  }
}

}  // namespace actors::cpu
