// worker: a thread that runs what it is given, in order: where user code runs, so that it never
// runs on the thread that renews leases.

#ifndef REDLOCK_LIB_API_WORKER_H
#define REDLOCK_LIB_API_WORKER_H

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "io/inbox.h"

namespace redlock::detail {

// Thread safety: any thread.
class worker {
 public:
  // Throws std::system_error if the system gives no thread.
  worker();
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker();  // stops

  // Runs it later, never inside this call; after stop(), on a thread of its own, once what was
  // queued before has been run.
  template <class F>
  void post(F f) {
    put(io::job(std::move(f)));
  }

  // Runs what is still queued, and ends the thread. Waits for it, unless this is that thread.
  void stop() noexcept;

  // The same, without waiting.
  void leave() noexcept;

 private:
  // Shared with the thread, which may have to outlive the worker: its own job may destroy it.
  struct line {
    std::mutex mutex;
    std::condition_variable filled;
    std::vector<io::job> jobs;
    bool stopped = false;
    std::condition_variable emptied;
    bool ended = false;  // what was queued has been run
  };
  static void run(line& l) noexcept;
  void end() noexcept;
  void put(io::job j);

  std::shared_ptr<line> line_ = std::make_shared<line>();
  std::thread thread_;
};

}  // namespace redlock::detail

#endif  // REDLOCK_LIB_API_WORKER_H
