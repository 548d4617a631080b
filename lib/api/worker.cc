// The queue of a worker, and its thread.

#include "api/worker.h"

#include "io/thread.h"

namespace redlock::detail {

worker::worker() : thread_(io::quiet_thread([l = line_] { run(*l); })) {}

worker::~worker() { stop(); }

void worker::put(io::job j) {
  {
    const std::lock_guard lock(line_->mutex);
    if (!line_->stopped) {
      line_->jobs.push_back(std::move(j));
      line_->filled.notify_one();
      return;
    }
  }
  // It may come from a job that still runs; nothing runs beside that.
  io::quiet_thread([l = line_, late = std::move(j)]() mutable {
    {
      std::unique_lock lock(l->mutex);
      l->emptied.wait(lock, [&] { return l->ended; });
    }
    late.run();
  }).detach();
}

void worker::end() noexcept {
  const std::lock_guard lock(line_->mutex);
  line_->stopped = true;
  line_->filled.notify_one();
}

void worker::leave() noexcept {
  end();
  if (thread_.joinable()) thread_.detach();
}

void worker::stop() noexcept {
  end();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();  // this call comes from a job; the thread ends after it
  } else {
    thread_.join();
  }
}

void worker::run(line& l) noexcept {
  std::vector<io::job> now;
  std::unique_lock lock(l.mutex);
  for (;;) {
    l.filled.wait(lock, [&] { return !l.jobs.empty() || l.stopped; });
    if (l.jobs.empty()) break;
    now.swap(l.jobs);
    lock.unlock();
    for (io::job& j : now) j.run();
    now.clear();
    lock.lock();
  }
  l.ended = true;
  l.emptied.notify_all();
}

}  // namespace redlock::detail
