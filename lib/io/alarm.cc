// The timerfd behind the alarm.

#include "io/alarm.h"

#include <sys/timerfd.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

namespace redlock::io {

alarm::alarm(uv_loop_s* loop, callback ring, void* context) : ring_(ring), context_(context) {
  auto poll = std::make_unique<uv_poll_t>();  // while there is no descriptor to be left behind
  fd_ = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd_ < 0) throw std::system_error(errno, std::system_category(), "timerfd_create");
  poll_ = poll.release();
  poll_->data = this;
  core::check(uv_poll_init(loop, poll_, fd_) == 0);
  core::check(uv_poll_start(poll_, UV_READABLE, [](uv_poll_t* handle, int, int) {
                static_cast<alarm*>(handle->data)->on_ring();
              }) == 0);
}

alarm::~alarm() {
  uv_close(reinterpret_cast<uv_handle_t*>(poll_),
           [](uv_handle_t* handle) { delete reinterpret_cast<uv_poll_t*>(handle); });
  ::close(fd_);
}

void alarm::set(core::time_point at) noexcept {
  // One that rings too early costs a look; setting it again for every change would cost more.
  if (at >= armed_) return;
  armed_ = at;
  // Zero would switch it off.
  const auto since_boot = std::max(at.time_since_epoch(), core::nanoseconds{1});
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(seconds.count());
  when.it_value.tv_nsec = static_cast<long>((since_boot - seconds).count());
  core::check(timerfd_settime(fd_, TFD_TIMER_ABSTIME, &when, nullptr) == 0);
}

void alarm::on_ring() noexcept {
  std::uint64_t times = 0;
  if (::read(fd_, &times, sizeof times) < 0 && errno == EAGAIN) return;
  armed_ = core::never;
  ring_(context_);
}

}  // namespace redlock::io
