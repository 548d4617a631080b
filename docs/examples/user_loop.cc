// A lock in a program that has a libuv loop of its own: everything of the library lives on that
// loop, without another thread, and every callback runs there in a turn of its own.

#include <redlock/redlock.h>
#include <uv.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "nodes.h"

using namespace std::chrono_literals;

namespace {

// What the callbacks share.
struct program {
  std::unique_ptr<redlock::lock_manager> locks;
  std::optional<redlock::lease> held;
  uv_timer_t work{};
  int steps = 0;
  int status = 0;
};

// close() ends when nothing of the library is left on the loop; then uv_run() can return.
void finish(program& p, int status) {
  p.status = status;
  uv_close(reinterpret_cast<uv_handle_t*>(&p.work), nullptr);
  p.locks->close().then([&p](redlock::result<void> closed) noexcept {
    if (!closed) std::fprintf(stderr, "%s\n", closed.error().message().c_str());
    p.locks.reset();
  });
}

// A step of the work: short, since nothing is renewed while it runs.
void step(uv_timer_t* timer) {
  auto& p = *static_cast<program*>(timer->data);
  if (!p.held->held()) {
    finish(p, 74);
  } else if (++p.steps == 3) {
    std::puts("done");
    finish(p, 0);
  }
}

}  // namespace

int main() {
  uv_loop_t* loop = uv_default_loop();
  program p;
  p.work.data = &p;
  uv_timer_init(loop, &p.work);

  auto options = options_from_environment();
  options.loop = loop;
  p.locks = std::make_unique<redlock::lock_manager>(std::move(options));

  // Blocking calls would wait for the loop that this thread is to run: they fail (would_deadlock).
  p.locks->acquire_async("report/daily", {.ttl = 10s, .wait = 30s})
      .then([&p](redlock::result<redlock::lease> granted) noexcept {
        if (!granted) {
          std::fprintf(stderr, "not acquired: %s\n", granted.error().message().c_str());
          finish(p, 69);
          return;
        }
        p.held = std::move(*granted);
        uv_timer_start(&p.work, step, 0, 20);
      });

  uv_run(loop, UV_RUN_DEFAULT);
  if (uv_loop_close(loop) != 0) return 70;
  return p.status;
}
