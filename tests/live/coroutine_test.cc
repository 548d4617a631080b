// co_await of operations, and coroutines that are destroyed while they await, at every moment.

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "live.h"
#include "task.h"

namespace redlock::live {
namespace {

// Something that lives in a coroutine, and may be looked at from outside.
struct story {
  std::atomic<bool> ended = false;  // ran to its end
  std::atomic<bool> gone = false;   // its frame is destroyed
};

class frame {
 public:
  explicit frame(std::shared_ptr<story> s) : story_(std::move(s)) {}
  frame(const frame&) = delete;
  frame& operator=(const frame&) = delete;
  ~frame() { story_->gone = true; }

 private:
  std::shared_ptr<story> story_;
};

task use_a_lock(lock_manager& locks, lock_options o, std::shared_ptr<story> s) {
  const frame here(s);
  result<lease> held = co_await locks.acquire_async("r", o);
  EXPECT_TRUE(succeeded(held));
  EXPECT_TRUE(succeeded(co_await held->renew_async()));
  EXPECT_TRUE(succeeded(co_await held->release_async()));
  s->ended = true;
}

// The same, whose manager may end at any moment.
task use_a_lock_while_it_lasts(lock_manager& locks, lock_options o, std::shared_ptr<story> s) {
  const frame here(s);
  result<lease> held = co_await locks.acquire_async("r", o);
  if (held && co_await held->renew_async()) {
    [[maybe_unused]] const result<void> released = co_await held->release_async();
  }
  s->ended = true;
}

// Runs f on the executor, next: what is asked for breaks a limit, and is answered at once.
template <class F>
void on_executor(lock_manager& locks, F f) {
  locks.acquire_async("").then([f = std::move(f)](const result<lease>&) mutable { f(); });
}

void spin_for(std::chrono::microseconds time) {
  const auto end = clock::now() + time;
  while (clock::now() < end) std::this_thread::yield();
}

TEST(a_coroutine, acquires_renews_and_releases) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const auto s = std::make_shared<story>();
  use_a_lock(locks, {}, s);
  EXPECT_TRUE(eventually([&] { return s->ended.load(); }));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

task block_everywhere(lock_manager& locks, std::atomic<bool>& done) {
  const auto here = std::this_thread::get_id();
  result<lease> held = co_await locks.acquire_async("r");
  EXPECT_NE(std::this_thread::get_id(), here);
  const auto executor = std::this_thread::get_id();
  EXPECT_TRUE(succeeded(held));
  EXPECT_TRUE(succeeded(locks.acquire("s")));
  EXPECT_TRUE(succeeded(co_await locks.inspect_async("r")));
  EXPECT_EQ(std::this_thread::get_id(), executor);
  EXPECT_TRUE(succeeded(co_await locks.close()));
  EXPECT_FALSE(held->held());
  EXPECT_TRUE(failed_with(errc::shut_down, co_await locks.acquire_async("r")));
  done = true;
}

TEST(a_coroutine, goes_on_on_the_executor_and_may_block_there) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  std::atomic<bool> done = false;
  block_everywhere(locks, done);
  EXPECT_TRUE(eventually([&] { return done.load(); }));
}

task end_the_manager(std::unique_ptr<lock_manager>& locks, std::atomic<bool>& done) {
  const auto held = co_await locks->acquire_async("r");
  EXPECT_TRUE(succeeded(held));
  locks.reset();
  EXPECT_FALSE(held->held());
  done = true;
}

TEST(a_coroutine, may_destroy_the_lock_manager) {
  masters nodes(3);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  std::atomic<bool> done = false;
  end_the_manager(locks, done);
  EXPECT_TRUE(eventually([&] { return done.load(); }));
}

task expect_failure(lock_manager& locks, std::stop_token stop, errc code, std::atomic<bool>& done) {
  const auto r = co_await locks.acquire_async("r", {.wait = wait_forever, .stop = stop});
  EXPECT_TRUE(failed_with(code, r));
  done = true;
}

TEST(a_coroutine, goes_on_with_cancelled_when_its_stop_is_requested) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  lock_manager locks(nodes.options());
  std::stop_source stop;
  std::atomic<bool> done = false;
  expect_failure(locks, stop.get_token(), errc::cancelled, done);
  EXPECT_TRUE(throughout(5ms, [&] { return !done; }));
  stop.request_stop();
  EXPECT_TRUE(eventually([&] { return done.load(); }));
}

TEST(a_coroutine, goes_on_with_shut_down_when_the_manager_ends) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  std::atomic<bool> done = false;
  expect_failure(*locks, {}, errc::shut_down, done);
  locks.reset();
  EXPECT_TRUE(done);
}

// Whatever is under way then: nothing yet, the acquire, the grant, a renewal, the release.
TEST(a_coroutine_destroyed_while_it_awaits, leaves_no_key_at_whatever_moment) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  int destroyed = 0;
  for (int delay = 0; delay < 1500; delay += 10) {
    const auto s = std::make_shared<story>();
    task t = use_a_lock(locks, {.ttl = 60s, .wait = patience}, s);
    spin_for(std::chrono::microseconds(delay));
    // On the executor, where the coroutine runs: there it is at its end, or it awaits.
    std::atomic<bool> done = false;
    on_executor(locks, [&] {
      if (!s->ended) {
        ++destroyed;
        t.destroy();
      }
      done = true;
    });
    ASSERT_TRUE(eventually([&] { return done.load(); }));
    EXPECT_TRUE(s->gone);
  }
  EXPECT_GT(destroyed, 0);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; })) << nodes.keys();
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = patience})));
}

// The lock comes free in the moment in which nobody wants it any more.
TEST(a_coroutine_destroyed_while_it_awaits, gives_back_a_lease_that_is_granted_after_all) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (int delay = 0; delay < 8000; delay += 100) {
    result<lease> other = locks.acquire("r", {.ttl = 60s, .wait = patience});
    ASSERT_TRUE(succeeded(other));
    const auto s = std::make_shared<story>();
    task t = use_a_lock(locks, {.ttl = 60s, .wait = patience}, s);
    std::atomic<bool> done = false;
    other->release_async().then([&](const result<void>&) {
      // Meanwhile the executor is kept from resuming it, and the grant waits behind this.
      spin_for(std::chrono::microseconds(delay));
      EXPECT_FALSE(s->ended);
      t.destroy();
      done = true;
    });
    ASSERT_TRUE(eventually([&] { return done.load(); }));
    EXPECT_TRUE(s->gone);
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; })) << nodes.keys();
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = patience})));
}

// On another thread than the executor: while the lock is another's, it cannot be resumed.
TEST(a_coroutine_destroyed_while_it_awaits, stops_waiting_at_once) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  options o = nodes.options();
  o.max_leases = 1;  // so that the next is overloaded while this one waits
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (int delay = 0; delay < 2000; delay += 100) {
    const auto s = std::make_shared<story>();
    task t = use_a_lock(locks, {.wait = wait_forever}, s);
    spin_for(std::chrono::microseconds(delay));
    t.destroy();
    EXPECT_TRUE(s->gone);
    EXPECT_TRUE(eventually([&] {
      const result<lease> next = locks.acquire("r");
      return !next && next.error().code() == errc::held_by_other;
    }));
  }
  EXPECT_EQ(nodes.count(key_of("r"), "other"), 3U);
}

TEST(a_coroutine_destroyed_while_it_awaits, does_no_harm_when_its_manager_ends_as_well) {
  masters nodes(3);
  for (int delay = 0; delay < 1000; delay += 50) {
    auto locks = std::make_unique<lock_manager>(nodes.options());
    ASSERT_TRUE(all_up(*locks));
    const auto s = std::make_shared<story>();
    task t = use_a_lock_while_it_lasts(*locks, {.ttl = 60s, .wait = patience}, s);
    spin_for(std::chrono::microseconds(delay));
    std::atomic<bool> done = false;
    on_executor(*locks, [&] {
      if (!s->ended) t.destroy();
      done = true;
    });
    locks.reset();
    EXPECT_TRUE(eventually([&] { return done && s->gone; }));
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; })) << nodes.keys();
}

}  // namespace
}  // namespace redlock::live
