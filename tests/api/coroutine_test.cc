// co_await of an operation: whoever comes first, the end of the operation or that of the coroutine.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "redlock/operation.h"
#include "redlock/options.h"
#include "task.h"

namespace redlock {
namespace {

using detail::completion;
using detail::delivery;

using shared = std::shared_ptr<int>;

// The library's side of one operation.
struct library {
  completion<shared>* whom = nullptr;
  std::optional<delivery> how;
  std::stop_token abandoned;

  void end(result<shared> r) { std::exchange(whom, nullptr)->complete(std::move(r)); }
};

class manual_start final : public detail::starter<shared> {
 public:
  explicit manual_start(library& where) : library_(&where) {}
  void start(completion<shared>& whom, delivery how) noexcept override {
    library_->how = how;
    library_->abandoned = whom.abandoned();
    library_->whom = &whom;
  }

 private:
  library* library_;
};

// Ends inside start(), or on another thread while start() is still running.
class eager_start final : public detail::starter<shared> {
 public:
  explicit eager_start(std::optional<std::thread>* other = nullptr) : other_(other) {}
  void start(completion<shared>& whom, delivery /*how*/) noexcept override {
    if (other_ == nullptr) {
      whom.complete(std::make_shared<int>(7));
      return;
    }
    other_->emplace([&whom] { whom.complete(std::make_shared<int>(7)); });
    other_->value().join();
    EXPECT_NE(other_, nullptr) << "the starter is still there";
  }

 private:
  std::optional<std::thread>* other_;
};

operation<shared> manual(library& where) {
  return operation<shared>(std::make_unique<manual_start>(where));
}

// Something on the coroutine's frame, which says when that is destroyed.
struct witness {
  explicit witness(int& n) : gone(&n) {}
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;
  ~witness() { ++*gone; }
  int* gone;
};

struct story {
  std::optional<result<shared>> seen;
  int gone = 0;
};

task await(operation<shared> op, story& s) {
  const witness here(s.gone);
  s.seen.emplace(co_await std::move(op));
}

TEST(CoAwait, SuspendsUntilTheOperationEnds) {
  library l;
  story s;
  await(manual(l), s);
  EXPECT_EQ(l.how, delivery::executor);
  EXPECT_FALSE(s.seen.has_value());
  l.end(std::make_shared<int>(7));
  ASSERT_TRUE(s.seen.has_value());
  EXPECT_EQ(***s.seen, 7);
  EXPECT_EQ(s.gone, 1);
  EXPECT_FALSE(l.abandoned.stop_requested());
}

TEST(CoAwait, GivesFailuresAsValues) {
  library l;
  story s;
  await(manual(l), s);
  l.end(errc::held_by_other);
  EXPECT_EQ(s.seen.value().error().code(), errc::held_by_other);
}

TEST(CoAwait, MayBeResumedBeforeTheStartReturns) {
  story s;
  await(operation<shared>(std::make_unique<eager_start>()), s);
  EXPECT_EQ(***s.seen, 7);
  std::optional<std::thread> other;
  story t;
  await(operation<shared>(std::make_unique<eager_start>(&other)), t);
  EXPECT_EQ(***t.seen, 7);
  EXPECT_EQ(s.gone + t.gone, 2);
}

task await_in_turn(library& first, library& second, int& sum) {
  sum += **co_await manual(first);
  const auto got = co_await manual(second);
  if (got) sum += **got;
}

TEST(CoAwait, CanBeDoneAgainAndAgainInOneCoroutine) {
  library first;
  library second;
  int sum = 0;
  await_in_turn(first, second, sum);
  first.end(std::make_shared<int>(3));
  EXPECT_EQ(sum, 3);
  second.end(std::make_shared<int>(4));
  EXPECT_EQ(sum, 7);
}

operation<shared> manual_with(library& where, const lock_options& o) {
  EXPECT_TRUE(o.stop.stop_possible());
  return manual(where);
}

task await_with(library& l, const std::stop_source& stop, story& s) {
  s.seen.emplace(co_await manual_with(l, {.ttl = nanoseconds{1}, .stop = stop.get_token()}));
}

// A temporary that g++ 12 destroys twice (stop_slot.h). The address sanitizer would see it.
TEST(CoAwait, LeavesTheStopTokenOfTemporaryOptionsAlone) {
  std::stop_source stop;
  for (int i = 0; i < 3; ++i) {
    library l;
    story s;
    await_with(l, stop, s);
    l.end(errc::cancelled);
    EXPECT_TRUE(s.seen.has_value());
  }
  bool called = false;
  const std::stop_callback note(stop.get_token(), [&] { called = true; });
  stop.request_stop();
  EXPECT_TRUE(called);
}

TEST(AStopSlot, IsCopiedAndAssignedAsItsToken) {
  std::stop_source one;
  const std::stop_source other;
  lock_options o{.stop = one.get_token()};
  const lock_options copy = o;
  const std::stop_token token = copy.stop;
  EXPECT_EQ(token, one.get_token());
  o.stop = other.get_token();
  one.request_stop();
  EXPECT_TRUE(copy.stop.stop_requested());
  EXPECT_FALSE(o.stop.stop_requested());
  o = copy;
  EXPECT_TRUE(o.stop.stop_requested());
  o.stop = {};
  EXPECT_FALSE(o.stop.stop_possible());
}

TEST(ACoroutine, DestroyedWhileItAwaitsAbandonsTheOperation) {
  library l;
  story s;
  task t = await(manual(l), s);
  EXPECT_TRUE(l.abandoned.stop_possible());
  t.destroy();
  EXPECT_EQ(s.gone, 1);
  EXPECT_TRUE(l.abandoned.stop_requested());
  const auto late = std::make_shared<int>(7);
  l.end(late);
  EXPECT_EQ(late.use_count(), 1) << "what came after all is dropped";
  EXPECT_FALSE(s.seen.has_value());
}

TEST(ACoroutine, DestroyedBecauseItsOperationIsCancelledAtOnce) {
  library l;
  story s;
  task t = await(manual(l), s);
  const std::stop_callback ends(l.abandoned, [&l] { l.end(errc::cancelled); });
  t.destroy();  // the library answers inside the request
  EXPECT_EQ(s.gone, 1);
  EXPECT_EQ(l.whom, nullptr);
}

// The operation ends on another thread in the very moment; the coroutine is never resumed then.
TEST(ACoroutine, DestroyedWhileTheOperationEndsElsewhereIsNotResumed) {
  for (int i = 0; i < 300; ++i) {
    library l;
    story s;
    task t = await(manual(l), s);
    const auto value = std::make_shared<int>(7);
    std::atomic<bool> destroyed = false;
    std::thread other([&] {
      while (!destroyed) std::this_thread::yield();
      l.end(value);
    });
    const std::stop_callback at_once(l.abandoned, [&] { destroyed = true; });
    t.destroy();
    other.join();
    EXPECT_EQ(value.use_count(), 1);
    EXPECT_FALSE(s.seen.has_value());
    EXPECT_EQ(s.gone, 1);
  }
}

TEST(AnOperation, ThatIsNotAwaitedAfterAllNeverStarts) {
  library l;
  { [[maybe_unused]] auto awaiter = manual(l).operator co_await(); }
  EXPECT_EQ(l.whom, nullptr);
}

TEST(ACoroutineDeathTest, DestroyedWhileItIsBeingResumedElsewhereEndsTheProcess) {
  detail::awaited<shared> state(std::noop_coroutine());
  state.complete(std::make_shared<int>(7));  // resumed, and not yet there
  EXPECT_DEATH(state.abandon(), "redlock: a coroutine was destroyed on one thread while");
}

task destroy_itself(operation<shared> op, std::optional<task>& self, int& gone) {
  const witness here(gone);
  static_cast<void>(co_await std::move(op));
  struct destroyer {
    std::optional<task>& self;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> /*who*/) const { self->destroy(); }
    void await_resume() const noexcept {}
  };
  co_await destroyer{self};
}

TEST(ACoroutine, MayDestroyItselfAfterItWasResumed) {
  library l;
  int gone = 0;
  std::optional<task> self;
  self = destroy_itself(manual(l), self, gone);
  l.end(std::make_shared<int>(7));
  EXPECT_EQ(gone, 1);
}

}  // namespace
}  // namespace redlock
