#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace actors::cpu {

/// A few threads that run the pieces of one loop. They look for the next loop for a moment before they sleep: in
/// decoding it comes within microseconds. No longer, for cores are shared with other processes.
class Workers {
 public:
  explicit Workers(int threads);
  ~Workers();

  int count() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls body(piece, worker) for every piece in [0, pieces), the caller taking part as worker 0; returns when all are
  /// done, rethrowing the first exception. Which worker runs a piece is not fixed: pieces must write to disjoint
  /// places.
  void parallel(std::ptrdiff_t pieces, const std::function<void(std::ptrdiff_t, int)>& body);

 private:
  void loop(int worker);
  void drain(int worker, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::ptrdiff_t, int)>* body_ = nullptr;
  std::ptrdiff_t next_ = 0, pieces_ = 0;
  std::atomic<std::ptrdiff_t> running_ = 0;
  std::atomic<bool> open_ = false;  ///< there may be a piece to take
  int asleep_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace actors::cpu
