// operation: starts when it is consumed, ends once, and never starts if it is dropped.

#include "redlock/operation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace redlock {
namespace {

using detail::completion;
using detail::delivery;

// What became of an operation, seen from the library's side.
struct history {
  int starts = 0;
  int destroyed = 0;
  std::optional<delivery> how;
  completion<std::unique_ptr<int>>* whom = nullptr;

  void end(result<std::unique_ptr<int>> r) { std::exchange(whom, nullptr)->complete(std::move(r)); }
};

using ended = result<std::unique_ptr<int>>;

// Leaves the completion to the test.
class slow_start final : public detail::starter<std::unique_ptr<int>> {
 public:
  explicit slow_start(history& h) : history_(&h) {}
  slow_start(const slow_start&) = delete;
  slow_start& operator=(const slow_start&) = delete;
  ~slow_start() override { ++history_->destroyed; }

  void start(completion<std::unique_ptr<int>>& whom, delivery how) noexcept override {
    ++history_->starts;
    history_->how = how;
    history_->whom = &whom;
  }

 private:
  history* history_;
};

// Ends inside start().
class quick_start final : public detail::starter<std::unique_ptr<int>> {
 public:
  explicit quick_start(int n) : n_(n) {}
  void start(completion<std::unique_ptr<int>>& whom, delivery /*how*/) noexcept override {
    whom.complete(std::make_unique<int>(n_));
  }

 private:
  int n_;
};

// Ends on a thread of its own.
class threaded_start final : public detail::starter<std::unique_ptr<int>> {
 public:
  explicit threaded_start(std::thread& t) : thread_(&t) {}
  void start(completion<std::unique_ptr<int>>& whom, delivery how) noexcept override {
    EXPECT_EQ(how, delivery::direct);
    *thread_ = std::thread([&whom] { whom.complete(std::make_unique<int>(7)); });
  }

 private:
  std::thread* thread_;
};

template <class Op>
concept gettable = requires(Op&& op) {
  std::forward<Op>(op).get();
};

template <class Op, class F>
concept takes_callback = requires(Op&& op, F f) {
  std::forward<Op>(op).then(f);
};

operation<std::unique_ptr<int>> slow(history& h) {
  return operation<std::unique_ptr<int>>(std::make_unique<slow_start>(h));
}

TEST(Operation, NeverStartsIfItIsDropped) {
  history h;
  { const auto dropped = slow(h); }
  EXPECT_EQ(h.starts, 0);
  EXPECT_EQ(h.destroyed, 1);
}

TEST(Operation, StartsOnceWhenItIsConsumedAndNotWhenItIsMoved) {
  history h;
  auto first = slow(h);
  auto second = std::move(first);
  EXPECT_EQ(h.starts, 0);
  std::move(second).then([](const ended&) {});
  EXPECT_EQ(h.starts, 1);
  EXPECT_EQ(h.destroyed, 1);
  h.end(errc::lost);
  EXPECT_EQ(h.starts, 1);
}

TEST(Operation, CanBeMovedOnlyAndConsumedOnlyAsAnRvalue) {
  using any = operation<int>;
  static_assert(!std::is_copy_constructible_v<any>);
  static_assert(std::is_nothrow_move_constructible_v<any>);
  static_assert(std::is_nothrow_move_assignable_v<any>);
  static_assert(gettable<any> && !gettable<any&>);
  static_assert(takes_callback<any, void (*)(result<int>)>);
  static_assert(!takes_callback<any&, void (*)(result<int>)>);
  static_assert(!takes_callback<any, void (*)(int)>);
}

TEST(Operation, CallsBackOnceWhenItEndsAndNotBefore) {
  history h;
  int calls = 0;
  int seen = 0;
  slow(h).then([&](ended r) {
    ++calls;
    seen = **r;
  });
  EXPECT_EQ(h.how, delivery::executor);
  EXPECT_EQ(calls, 0);
  h.end(std::make_unique<int>(7));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen, 7);
}

TEST(Operation, HandsAFailureToItsCallback) {
  history h;
  errc seen{};
  slow(h).then([&](const ended& r) { seen = r.error().code(); });
  h.end(failure(errc::held_by_other, "busy"));
  EXPECT_EQ(seen, errc::held_by_other);
}

TEST(Operation, DestroysItsCallbackAfterTheCall) {
  history h;
  const auto shared = std::make_shared<int>(0);
  slow(h).then([held = std::make_unique<std::shared_ptr<int>>(shared)](const ended&) { ++**held; });
  EXPECT_EQ(shared.use_count(), 2);
  h.end(errc::lost);
  EXPECT_EQ(*shared, 1);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Operation, CallsACallbackThatCanBeCalledOnlyOnce) {
  struct once {
    int* calls;
    void operator()(const ended&) && { ++*calls; }
  };
  history h;
  int calls = 0;
  slow(h).then(once{&calls});
  h.end(errc::lost);
  EXPECT_EQ(calls, 1);
}

TEST(Operation, GivesTheResultToTheThreadThatWaits) {
  std::thread other;
  operation<std::unique_ptr<int>> op(std::make_unique<threaded_start>(other));
  const ended r = std::move(op).get();
  other.join();
  EXPECT_EQ(*r.value(), 7);
}

TEST(Operation, MayEndBeforeItsStartReturns) {
  EXPECT_EQ(**operation<std::unique_ptr<int>>(std::make_unique<quick_start>(7)).get(), 7);
  int seen = 0;
  operation<std::unique_ptr<int>>(std::make_unique<quick_start>(8)).then([&](ended r) {
    seen = **r;
  });
  EXPECT_EQ(seen, 8);
}

TEST(Operation, CallsWhateverStdInvokeCan) {
  const auto end_of = [](auto f) {
    history h;
    slow(h).then(std::move(f));
    h.end(std::make_unique<int>(7));
  };
  static int seen = 0;
  end_of(+[](ended r) { seen = **r; });
  EXPECT_EQ(seen, 7);
  end_of([](ended&& r) { seen += **r; });
  EXPECT_EQ(seen, 14);
  end_of(std::function<void(const ended&)>([](const ended& r) { seen += **r; }));
  EXPECT_EQ(seen, 21);
  end_of([](const ended& r) { return **r; });
  end_of(&ended::has_value);
  const auto kept = [](const ended& r) { seen += **r; };
  end_of(std::cref(kept));
  EXPECT_EQ(seen, 28);
  history h;
  slow(h).then(kept);
  h.end(std::make_unique<int>(1));
  EXPECT_EQ(seen, 29) << "a copy was called";
}

TEST(Operation, GivesItsResultToAFuture) {
  history h;
  std::future<ended> later = slow(h).future();
  EXPECT_EQ(h.starts, 1);
  EXPECT_EQ(h.how, delivery::direct);
  EXPECT_EQ(later.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  h.end(std::make_unique<int>(7));
  EXPECT_EQ(**later.get(), 7);
  std::future<ended> failing = slow(h).future();
  h.end(errc::lost);
  EXPECT_EQ(failing.get().error().code(), errc::lost) << "a failure is a value, not an exception";
}

TEST(Operation, MayEndAfterItsFutureWasDropped) {
  history h;
  const auto shared = std::make_shared<int>(7);
  struct shared_start final : detail::starter<std::shared_ptr<int>> {
    explicit shared_start(completion<std::shared_ptr<int>>*& where) : whom(where) {}
    void start(completion<std::shared_ptr<int>>& w, delivery /*how*/) noexcept override {
      whom = &w;
    }
    completion<std::shared_ptr<int>>*& whom;
  };
  completion<std::shared_ptr<int>>* whom = nullptr;
  static_cast<void>(operation<std::shared_ptr<int>>(std::make_unique<shared_start>(whom)).future());
  whom->complete(shared);
  EXPECT_EQ(shared.use_count(), 1) << "the result is gone";
}

TEST(OperationDeathTest, EndsTheProcessWhenItIsConsumedTwice) {
  operation<std::unique_ptr<int>> op(std::make_unique<quick_start>(7));
  static_cast<void>(std::move(op).get());
  constexpr auto twice = "redlock: an operation was consumed twice, or after a move";
  EXPECT_DEATH(static_cast<void>(std::move(op).get()), twice);
  EXPECT_DEATH(static_cast<void>(std::move(op).future()), twice);
  EXPECT_DEATH(std::move(op).then([](const ended&) {}), twice);
  EXPECT_DEATH(static_cast<void>(std::move(op).operator co_await()), twice);
}

TEST(Operation, WorksForResultsWithoutAValue) {
  struct void_start final : detail::starter<void> {
    void start(completion<void>& whom, delivery /*how*/) noexcept override { whom.complete({}); }
  };
  EXPECT_TRUE(operation<void>(std::make_unique<void_start>()).get().has_value());
}

}  // namespace
}  // namespace redlock
