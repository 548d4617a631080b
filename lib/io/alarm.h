// alarm: one wake-up of the loop at a time of redlock::clock. A uv timer would stand still while
// the machine is suspended; this is a timerfd on CLOCK_BOOTTIME (rule C4).

#ifndef REDLOCK_LIB_IO_ALARM_H
#define REDLOCK_LIB_IO_ALARM_H

#include "core/types.h"

struct uv_loop_s;
struct uv_poll_s;

namespace redlock::io {

// Lives on the loop thread.
class alarm {
 public:
  // Called when the time has come; early calls happen.
  using callback = void (*)(void* context) noexcept;

  // Throws std::system_error if the system gives no descriptor.
  alarm(uv_loop_s* loop, callback ring, void* context);
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;
  ~alarm();  // the loop must still run once, to close the handle

  // Brings it forward, if `at` is earlier than what it is set to; never puts it off.
  void set(core::time_point at) noexcept;

 private:
  void on_ring() noexcept;

  int fd_ = -1;
  uv_poll_s* poll_ = nullptr;
  callback ring_;
  void* context_;
  core::time_point armed_ = core::never;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_ALARM_H
