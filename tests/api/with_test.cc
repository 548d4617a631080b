// with: what functions it takes, what it gives back. With a real lock: tests/live/forms_test.cc.

#include "redlock/with.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "redlock/lock_manager.h"

namespace redlock {
namespace {

template <class F>
using given = decltype(std::declval<lock_manager&>().with("r", {}, std::declval<F>()));

template <class F>
concept accepted = requires(lock_manager& m, F f) {
  m.with("r", {}, f);
};

TEST(With, GivesAResultOfWhatTheFunctionReturns) {
  static_assert(std::is_same_v<given<int (*)(std::stop_token)>, result<int>>);
  static_assert(std::is_same_v<given<void (*)(std::stop_token)>, result<void>>);
  static_assert(
      std::is_same_v<given<const std::string& (*)(std::stop_token)>, result<std::string>>);
  static_assert(std::is_same_v<given<result<int> (*)(std::stop_token)>, result<int>>);
  static_assert(std::is_same_v<given<const result<void> (*)(const lease&)>, result<void>>);
  static_assert(
      std::is_same_v<given<std::unique_ptr<int> (*)(const lease&)>, result<std::unique_ptr<int>>>);
}

TEST(With, TakesAFunctionOfAStopTokenOrOfTheLeaseAndNothingElse) {
  static_assert(accepted<void (*)(const std::stop_token&)>);
  static_assert(accepted<void (*)(const lease&)>);
  static_assert(!accepted<void (*)()>);
  static_assert(!accepted<void (*)(lease&)>, "it is not the function's to move or release");
  static_assert(!accepted<void (*)(int)>);
}

TEST(With, PrefersTheStopTokenWhereBothWillDo) {
  bool token = false;
  const auto any = [&](const auto& argument) {
    token = std::is_same_v<std::remove_cvref_t<decltype(argument)>, std::stop_token>;
  };
  lease none;
  static_cast<void>(detail::guarded_call(none, any));
  EXPECT_TRUE(token);
}

// An empty lease is one that is not held when the function returns.
TEST(With, DropsWhatTheFunctionReturnedIfTheLeaseHadEnded) {
  lease none;
  const auto value = std::make_shared<int>(7);
  const auto r = detail::guarded_call(none, [&](std::stop_token) { return value; });
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), errc::not_held);
  EXPECT_EQ(value.use_count(), 1);
  EXPECT_FALSE(detail::guarded_call(none, [](std::stop_token) {}).has_value());
  const auto own = detail::guarded_call(
      none, [](std::stop_token) -> result<int> { return errc::invalid_argument; });
  EXPECT_EQ(own.error().code(), errc::not_held) << "that is worse than what the function says";
}

TEST(With, LetsAnExceptionThrough) {
  lease none;
  const auto f = [](std::stop_token) -> int { throw std::runtime_error("mine"); };
  EXPECT_THROW(static_cast<void>(detail::guarded_call(none, f)), std::runtime_error);
}

// Nothing listens on port 1.
TEST(With, CallsNothingWithoutALock) {
  lock_manager locks({.nodes = {"127.0.0.1:1"}});
  const auto never = [](std::stop_token) { ADD_FAILURE() << "called"; };
  EXPECT_EQ(locks.with("r", {}, never).error().code(), errc::no_quorum);
  EXPECT_EQ(locks.with("", {}, never).error().code(), errc::invalid_argument);
}

}  // namespace
}  // namespace redlock
