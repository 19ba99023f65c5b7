#include "strand.h"

#include "convert.h"

namespace actors::addon {

Loop::Loop(Napi::Env env) : env_(env) {
  const napi_threadsafe_function_call_js drainOnLoop = [](napi_env raw, napi_value, void* context, void*) {
    if (raw != nullptr) static_cast<Loop*>(context)->drain(Napi::Env(raw));
  };
  const napi_value name = Napi::String::New(env, "actors.native");
  // Unbounded and non-blocking: a blocking call from a strand deadlocks or aborts when a worker thread is terminated.
  napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, drainOnLoop, &wake_);
  napi_unref_threadsafe_function(env, wake_);
  // Registered after the function, so it runs before the function is torn down.
  napi_add_env_cleanup_hook(env, shutdown, this);
}

/// The environment is going away: join every strand, and let nothing touch JavaScript afterwards.
void Loop::shutdown(void* self) {
  Loop& loop = *static_cast<Loop*>(self);
  for (Strand* strand : loop.strands_) strand->stop();
  const std::lock_guard<std::mutex> lock(loop.mutex_);
  loop.closed_ = true;
  loop.done_.clear();
  napi_release_threadsafe_function(loop.wake_, napi_tsfn_abort);
}

void Loop::began() {
  if (pending_++ == 0) napi_ref_threadsafe_function(env_, wake_);
}

void Loop::finished(std::unique_ptr<Task> task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  done_.push_back(std::move(task));
  if (!closed_) napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking);
}

void Loop::drain(Napi::Env env) {
  for (;;) {
    std::unique_ptr<Task> task;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (done_.empty()) break;
      task = std::move(done_.front());
      done_.pop_front();
    }
    if (--pending_ == 0) napi_unref_threadsafe_function(env, wake_);
    const Napi::HandleScope scope(env);
    settle(env, *task);
  }
}

void Loop::settle(Napi::Env env, Task& task) {
  try {
    if (task.failure != nullptr) task.deferred.Reject(toError(env, task.failure));
    else task.deferred.Resolve(task.result(env));
  } catch (const Napi::Error& error) {
    // Building the result failed (out of memory), or the environment is terminating, where rejecting fails too.
    try {
      task.deferred.Reject(error.Value());
    } catch (const Napi::Error&) {
    }
  } catch (...) {
    try {
      task.deferred.Reject(toError(env, std::current_exception()));
    } catch (const Napi::Error&) {
    }
  }
}

Strand::~Strand() {
  stop();
  loop_->delist(this);
}

void Strand::submit(std::unique_ptr<Task> task) {
  loop_->began();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void Strand::close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_.store(true);
  }
  wake_.notify_one();
}

void Strand::stop() {
  close();
  if (thread_.joinable()) thread_.join();
}

void Strand::run() {
  for (;;) {
    std::unique_ptr<Task> task;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return closing_.load() || !queue_.empty(); });
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    try {
      // Only closing is looked at here: a cancelled collective call must still reach its peers, to tell them.
      Cancel(nullptr, &closing_).check();
      task->work(Cancel(task->flagWord, &closing_));
    } catch (...) {
      task->failure = std::current_exception();
    }
    loop_->finished(std::move(task));
  }
}

}  // namespace actors::addon
