// The queue behind the inbox.

#include "io/inbox.h"

#include <uv.h>

namespace redlock::io {

void inbox::open(uv_async_s* wake) noexcept {
  const std::lock_guard lock(mutex_);
  wake_ = wake;
  if (!jobs_.empty()) uv_async_send(wake_);
}

bool inbox::put(job j) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  jobs_.push_back(std::move(j));
  // Under the lock: close() must not take the handle away in between.
  if (jobs_.size() == 1 && wake_ != nullptr) uv_async_send(wake_);
  return true;
}

void inbox::drain() noexcept {
  {
    const std::lock_guard lock(mutex_);
    running_.swap(jobs_);
  }
  for (job& j : running_) j.run();
  running_.clear();
}

void inbox::close() noexcept {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake_ = nullptr;
  }
  drain();
}

}  // namespace redlock::io
