// inbox: how any thread hands work to the loop thread. The one way in.

#ifndef REDLOCK_LIB_IO_INBOX_H
#define REDLOCK_LIB_IO_INBOX_H

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

struct uv_async_s;

namespace redlock::io {

// Something to run once on the loop thread. Move-only. What it throws ends the process, in drain():
// of a job that were noexcept itself, g++ 14 may forget what was thrown, and crash instead.
class job {
 public:
  template <class F>
  explicit job(F f) : what_(std::make_unique<holder<F>>(std::move(f))) {}
  void run() { what_->run(); }

 private:
  struct base {
    virtual ~base() = default;
    virtual void run() = 0;
  };
  template <class F>
  struct holder final : base {
    explicit holder(F f) : function(std::move(f)) {}
    void run() override { function(); }
    F function;
  };
  std::unique_ptr<base> what_;
};

// Thread safety: post() from any thread; the others on the loop thread. It may outlive the loop:
// after close() nothing is taken any more, so that late comers (a slow name lookup) do no harm.
class inbox {
 public:
  // Wakes the loop through `wake`, until close().
  void open(uv_async_s* wake) noexcept;

  // False if the inbox is closed: the job was not taken, and is destroyed.
  template <class F>
  bool post(F f) {
    return put(job(std::move(f)));
  }

  // Runs what was posted before the call, in order.
  void drain() noexcept;

  // What is still in it is run; from here on nothing is taken.
  void close() noexcept;

 private:
  bool put(job j);

  std::mutex mutex_;
  std::vector<job> jobs_;
  std::vector<job> running_;  // only drain() uses it: keeps its memory
  uv_async_s* wake_ = nullptr;
  bool closed_ = false;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_INBOX_H
