#pragma once

#include <cstddef>
#include <memory>

namespace shim {

/// A stack with something to run on it. start() and resume() return when the fiber calls pause() or its entry ends;
/// only one fiber of the process runs at a time.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Forgets what ran before and runs entry(argument) from the beginning.
  void start(void (*entry)(void*), void* argument);
  void resume();
  /// Called on the fiber: back to whoever started or resumed it.
  static void pause();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shim
