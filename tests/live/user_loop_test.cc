// A lock_manager on a loop of the application's own, and with an executor of its own.

#include "user_loop.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fair_queue.h"
#include "live.h"

namespace redlock::live {
namespace {

std::size_t threads() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                    std::filesystem::directory_iterator()));
}

options on(user_loop& loop, const masters& nodes) {
  options o = nodes.options();
  o.loop = loop.get();
  return o;
}

// Runs what it is given on a thread that the test can tell from others.
class other_thread {
 public:
  other_thread()
      : thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested() || !jobs().empty()) {
            for (auto& job : take()) job(), ++ran_;
            std::this_thread::sleep_for(1ms);
          }
        }) {}
  void post(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  [[nodiscard]] std::thread::id id() const { return thread_.get_id(); }
  [[nodiscard]] int ran() const { return ran_; }

 private:
  std::vector<std::function<void()>> jobs() {
    const std::lock_guard lock(mutex_);
    return jobs_;
  }
  std::vector<std::function<void()>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(jobs_, {});
  }

  std::mutex mutex_;
  std::vector<std::function<void()>> jobs_;
  std::atomic<int> ran_ = 0;
  std::jthread thread_;
};

TEST(on_a_loop_of_the_users, a_lock_has_its_whole_life_without_a_thread_of_ours) {
  masters nodes(3);
  const std::size_t before = threads();
  user_loop loop;
  {
    lock_manager locks(on(loop, nodes));
    result<lease> held = loop.end_of(locks.acquire_async("r", {.ttl = 20s, .wait = 10s}));
    ASSERT_TRUE(succeeded(held));
    EXPECT_TRUE(held->held());
    EXPECT_TRUE(succeeded(loop.end_of(held->renew_async())));
    const result<holdings> seen = loop.end_of(locks.inspect_async("r"));
    ASSERT_TRUE(succeeded(seen));
    EXPECT_EQ(seen->token, held->token());
    EXPECT_TRUE(succeeded(loop.end_of(held->release_async())));
    EXPECT_EQ(threads(), before);
    EXPECT_TRUE(succeeded(loop.end_of(locks.close())));
  }
  EXPECT_EQ(uv_loop_alive(loop.get()), 0);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(on_a_loop_of_the_users, close_ends_when_nothing_of_ours_is_left_there) {
  masters nodes(3);
  user_loop loop;
  auto locks = std::make_unique<lock_manager>(on(loop, nodes));
  const result<lease> held = loop.end_of(locks->acquire_async("r", {.wait = 10s}));
  ASSERT_TRUE(succeeded(held));
  int handles = -1;
  locks->close().then([&](result<void> r) noexcept {
    EXPECT_TRUE(succeeded(r));
    handles = 0;
    uv_walk(
        loop.get(),
        [](uv_handle_t* h, void* count) {
          if (uv_is_closing(h) == 0 && h->type != UV_TIMER) ++*static_cast<int*>(count);
        },
        &handles);
  });
  EXPECT_EQ(uv_run(loop.get(), UV_RUN_DEFAULT), 0);
  EXPECT_EQ(handles, 0);
  EXPECT_FALSE(held->held());
  locks.reset();
}

TEST(on_a_loop_of_the_users, code_of_the_user_runs_on_its_thread) {  // H1
  masters nodes(3);
  user_loop loop;
  lock_manager locks(on(loop, nodes));
  result<lease> held = loop.end_of(
      locks.acquire_async("r", {.ttl = 400ms, .wait = 10s, .renewal = renewal::manual()}));
  ASSERT_TRUE(succeeded(held));
  std::thread::id signalled_on;
  std::thread::id completed_on;
  std::thread::id failed_on;
  const std::stop_callback signal(held->stop_token(),
                                  [&] { signalled_on = std::this_thread::get_id(); });
  locks.inspect_async("r").then([&](const auto&) { completed_on = std::this_thread::get_id(); });
  locks.acquire_async("").then([&](const auto&) { failed_on = std::this_thread::get_id(); });
  EXPECT_EQ(failed_on, std::thread::id());
  EXPECT_TRUE(loop.run_until([&] { return !held->held() && signalled_on != std::thread::id(); }));
  EXPECT_EQ(signalled_on, std::this_thread::get_id());
  EXPECT_EQ(completed_on, std::this_thread::get_id());
  EXPECT_EQ(failed_on, std::this_thread::get_id());
  EXPECT_TRUE(succeeded(loop.end_of(locks.close())));
}

TEST(on_a_loop_of_the_users, a_blocking_call_on_its_thread_would_deadlock_and_changes_nothing) {
  masters nodes(3);
  user_loop loop;
  lock_manager locks(on(loop, nodes));
  EXPECT_TRUE(failed_with(errc::would_deadlock, locks.acquire("r")));
  EXPECT_TRUE(failed_with(errc::would_deadlock, locks.inspect("r")));
  EXPECT_TRUE(failed_with(errc::would_deadlock, locks.close().get()));
  result<lease> held = loop.end_of(locks.acquire_async("r", {.wait = 10s}));
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(failed_with(errc::would_deadlock, held->renew()));
  EXPECT_TRUE(failed_with(errc::would_deadlock, held->release()));
  EXPECT_TRUE(held->held());
  EXPECT_TRUE(succeeded(loop.end_of(held->release_async())));
  EXPECT_TRUE(succeeded(loop.end_of(locks.close())));
}

// Not even for its turn: whoever has it may need this thread.
TEST(on_a_loop_of_the_users, a_mutex_that_another_thread_has_would_deadlock_at_once) {
  masters nodes(3);
  user_loop loop;
  lock_manager locks(on(loop, nodes));
  redlock::mutex m(locks, "r");
  std::atomic<bool> locked = false;
  std::jthread other([&] {
    m.lock();
    locked = true;
  });
  ASSERT_TRUE(loop.run_until([&] { return locked.load(); }));
  EXPECT_FALSE(m.try_lock_for(1s));
  EXPECT_EQ(m.last_failure()->code(), errc::would_deadlock);
  m.unlock();
  EXPECT_TRUE(succeeded(loop.end_of(locks.close())));
}

TEST(on_a_loop_of_the_users, other_threads_may_block_and_release_and_destroy_leases) {
  masters nodes(3);
  user_loop loop;
  lock_manager locks(on(loop, nodes));
  std::atomic<int> done = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        result<lease> held = locks.acquire(std::to_string(i), {.wait = 20s});
        EXPECT_TRUE(succeeded(held));
        EXPECT_TRUE(round % 2 == 0 || !held || succeeded(held->release()));
      }
      ++done;
    });
  }
  EXPECT_TRUE(loop.run_until([&] { return done == 4; }));
  EXPECT_TRUE(loop.run_until([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(succeeded(loop.end_of(locks.close())));
}

TEST(on_a_loop_of_the_users, a_lease_is_renewed_and_its_loss_is_signalled) {
  masters nodes(3);
  user_loop loop;
  lock_manager locks(on(loop, nodes));
  const result<lease> held = loop.end_of(
      locks.acquire_async("r", {.ttl = 20s, .wait = 10s, .renewal = renewal::every(20ms)}));
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  const auto end = held->expires_at();
  EXPECT_TRUE(loop.run_until([&] { return held->expires_at() > end; }));
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "another", 60s);
  EXPECT_TRUE(loop.run_until([&] { return signal.count() == 1; }));
  EXPECT_FALSE(held->held());
  EXPECT_TRUE(succeeded(loop.end_of(locks.close())));
}

TEST(on_a_loop_of_the_users, that_is_not_run_leases_end_by_the_clock) {  // C4
  masters nodes(3);
  user_loop loop;
  auto locks = std::make_unique<lock_manager>(on(loop, nodes));
  result<lease> held = loop.end_of(locks->acquire_async("r", {.ttl = 300ms, .wait = 10s}));
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return !held->held(); }));
  EXPECT_TRUE(failed_with(errc::lost, held->detach()));
  // Run again, it finds what has run out, and goes on.
  EXPECT_TRUE(succeeded(loop.end_of(locks->acquire_async("r", {.wait = 10s}))));
  *held = {};
  locks.reset();
  EXPECT_TRUE(loop.run_out());
}

TEST(on_a_loop_of_the_users, the_destructor_never_waits_and_its_releases_have_left_by_then) {
  masters nodes(3);
  user_loop loop;
  options o = on(loop, nodes);
  auto locks = std::make_unique<lock_manager>(std::move(o));
  result<lease> held = loop.end_of(locks->acquire_async("r", {.ttl = 60s, .wait = 10s}));
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(loop.run_until([&] { return held->nodes_held() == 3; }));
  locks.reset();
  EXPECT_FALSE(held->held());
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; })) << "without the loop being run";
  EXPECT_TRUE(loop.run_out());
}

TEST(on_a_loop_of_the_users, a_manager_leaves_within_a_node_timeout_though_nobody_answers) {
  masters nodes(3);
  user_loop loop;
  options o = on(loop, nodes);
  o.node_timeout = 200ms;
  auto locks = std::make_unique<lock_manager>(std::move(o));
  const result<lease> held = loop.end_of(locks->acquire_async("r", {.ttl = 60s, .wait = 10s}));
  ASSERT_TRUE(succeeded(held));
  for (redis_server& node : nodes) node.stop();
  const auto start = clock::now();
  locks.reset();
  EXPECT_LT(clock::now() - start, 100ms);
  EXPECT_TRUE(loop.run_out());
  EXPECT_LT(clock::now() - start, 2s);
}

TEST(on_a_loop_of_the_users, a_manager_that_waits_for_its_turn_leaves_nothing_behind) {
  masters nodes(3);
  lock_manager holder(nodes.options());
  result<lease> held = holder.acquire("r", {.wait = patience});
  ASSERT_TRUE(succeeded(held));
  user_loop loop;
  auto locks = std::make_unique<lock_manager>(on(loop, nodes));
  std::optional<result<lease>> waited;
  locks->acquire_async("r", {.wait = wait_forever}).then([&](result<lease> r) noexcept {
    waited.emplace(std::move(r));
  });
  ASSERT_TRUE(
      loop.run_until([&] { return places(nodes).size() == 1 && wakeup_connections(nodes) == 3; }));
  locks.reset();
  EXPECT_TRUE(loop.run_out());
  ASSERT_TRUE(waited.has_value());
  EXPECT_TRUE(failed_with(errc::shut_down, *waited));
  EXPECT_TRUE(eventually([&] { return wakeup_connections(nodes) == 0; }));
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; })) << "a place, too";
}

TEST(on_a_loop_of_the_users, a_manager_may_be_destroyed_by_a_completion_of_its_own) {
  masters nodes(3);
  user_loop loop;
  auto locks = std::make_unique<lock_manager>(on(loop, nodes));
  std::optional<result<lease>> other;
  bool done = false;
  locks->acquire_async("s", {.wait = wait_forever}).then([&](result<lease> r) noexcept {
    locks.reset();
    EXPECT_FALSE(r && r->held());
    done = true;
  });
  locks->acquire_async("t", {.wait = wait_forever}).then([&](result<lease> r) noexcept {
    other.emplace(std::move(r));
  });
  EXPECT_TRUE(loop.run_until([&] { return done && other.has_value(); }));
  other.reset();
  EXPECT_TRUE(loop.run_out());
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(on_a_loop_of_the_users, a_manager_may_be_destroyed_at_any_moment_of_its_life) {
  masters nodes(3);
  user_loop loop;
  int ended = 0;
  for (int turns = 0; turns < 30; ++turns) {
    lock_manager locks(on(loop, nodes));
    locks.acquire_async("r", {.wait = 60s}).then([&](const result<lease>&) noexcept { ++ended; });
    for (int i = 0; i < turns; ++i) uv_run(loop.get(), UV_RUN_NOWAIT);
  }
  EXPECT_TRUE(loop.run_out());
  EXPECT_EQ(ended, 30);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(on_a_loop_of_the_users, a_closed_manager_answers_shut_down_on_a_thread_of_its_own) {
  masters nodes(3);
  user_loop loop;
  lock_manager locks(on(loop, nodes));
  EXPECT_TRUE(succeeded(loop.end_of(locks.close())));
  pending<lease> late(locks.acquire_async("r"));
  EXPECT_TRUE(failed_with(errc::shut_down, late.take()));
  pending<void> again(locks.close());
  EXPECT_TRUE(succeeded(again.take()));
}

TEST(on_a_loop_of_the_users, several_managers_live_side_by_side) {
  masters nodes(3);
  user_loop loop;
  lock_manager one(on(loop, nodes));
  lock_manager two(on(loop, nodes));
  const result<lease> held = loop.end_of(one.acquire_async("r", {.wait = 10s}));
  ASSERT_TRUE(succeeded(held));
  EXPECT_FALSE(loop.end_of(two.acquire_async("r")).has_value());
  EXPECT_TRUE(succeeded(loop.end_of(two.close())));
  EXPECT_TRUE(held->held());
  EXPECT_TRUE(succeeded(loop.end_of(one.close())));
}

TEST(an_executor_of_the_users, runs_the_completions_and_not_the_stop_callbacks) {
  masters nodes(3);
  other_thread executor;
  options o = nodes.options();
  o.executor = [&](std::function<void()> f) { executor.post(std::move(f)); };
  lock_manager locks(std::move(o));
  std::atomic<std::thread::id> ran_on;
  pending<lease> acquiring(
      locks.acquire_async("r", {.ttl = 300ms, .wait = 10s, .renewal = renewal::manual()}));
  const result<lease> held = acquiring.take();
  ASSERT_TRUE(succeeded(held));
  const std::stop_callback signal(held->stop_token(), [&] { ran_on = std::this_thread::get_id(); });
  EXPECT_TRUE(eventually([&] { return ran_on.load() != std::thread::id(); }));
  EXPECT_NE(ran_on.load(), executor.id());
  EXPECT_EQ(executor.ran(), 1);
  pending<lease> refused(locks.acquire_async(""));
  EXPECT_TRUE(failed_with(errc::invalid_argument, refused.take()));
  EXPECT_TRUE(eventually([&] { return executor.ran() == 2; }));
}

TEST(an_executor_of_the_users, may_keep_completions_until_after_the_end) {
  masters nodes(3);
  std::mutex mutex;
  std::vector<std::function<void()>> kept;
  std::optional<result<lease>> outcome;
  {
    options o = nodes.options();
    o.executor = [&](std::function<void()> f) {
      const std::lock_guard lock(mutex);
      kept.push_back(std::move(f));
    };
    lock_manager locks(std::move(o));
    locks.acquire_async("r", {.wait = 10s}).then([&](result<lease> r) {
      outcome.emplace(std::move(r));
    });
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex);
      return kept.size() == 1;
    }));
  }
  EXPECT_FALSE(outcome);
  kept.front()();
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(*outcome && (*outcome)->held());
}

TEST(an_executor_of_the_users, serves_a_loop_of_the_users_too) {
  masters nodes(3);
  other_thread executor;
  user_loop loop;
  options o = on(loop, nodes);
  o.executor = [&](std::function<void()> f) { executor.post(std::move(f)); };
  {
    lock_manager locks(std::move(o));
    std::atomic<bool> done = false;
    std::optional<result<lease>> held;
    std::thread::id completed_on;
    locks.acquire_async("r", {.wait = 10s}).then([&](result<lease> r) {
      completed_on = std::this_thread::get_id();
      held.emplace(std::move(r));
      EXPECT_TRUE(succeeded((*held)->release()));  // it may block: it is not the loop
      done = true;
    });
    EXPECT_TRUE(loop.run_until([&] { return done.load(); }));
    EXPECT_EQ(completed_on, executor.id());
  }
  EXPECT_TRUE(loop.run_out());
}

}  // namespace
}  // namespace redlock::live
