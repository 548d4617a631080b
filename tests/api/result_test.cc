// result: a value or a failure, with the members of std::expected.

#include "redlock/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

#include "redlock/lease.h"

namespace redlock {
namespace {

using owned = std::unique_ptr<int>;

result<owned> some(int n) { return std::make_unique<int>(n); }
const failure busy(errc::held_by_other, "busy");

template <class F>
errc thrown_by(F f) {
  try {
    f();
  } catch (const lock_error& error) {
    return error.why().code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Result, IsMadeOfAValueAFailureOrACode) {
  const result<int> value = 7;
  const result<int> why = busy;
  const result<int> code = errc::lost;
  EXPECT_TRUE(value.has_value());
  EXPECT_TRUE(static_cast<bool>(value));
  EXPECT_FALSE(why.has_value());
  EXPECT_FALSE(static_cast<bool>(code));
  EXPECT_EQ(*value, 7);
  EXPECT_EQ(why.error().message(), "held by other: busy");
  EXPECT_EQ(code.error().code(), errc::lost);
}

TEST(Result, IsNoNumberAndNoBool) {
  static_assert(!std::is_convertible_v<result<int>, bool>);
  static_assert(!std::is_default_constructible_v<result<int>>);
  static_assert(std::is_default_constructible_v<result<void>>);
  static_assert(std::is_same_v<result<int>::value_type, int>);
  static_assert(std::is_same_v<result<int>::error_type, failure>);
}

template <class R>
concept testable = requires(R&& r) {
  static_cast<bool>(std::forward<R>(r));
};

// Else `if (locks.acquire("x")) {…}` would compile, and hold nothing inside the block.
TEST(Result, OfALeaseCannotBeTestedWhereItIsATemporary) {
  static_assert(!testable<result<lease>>);
  static_assert(!testable<const result<lease>>);
  static_assert(testable<result<lease>&>);
  static_assert(testable<const result<lease>&>);
  static_assert(testable<result<void>> && testable<result<int>> && testable<result<owned>>);
  if (auto kept = result<lease>(lease())) {
    EXPECT_FALSE(kept->held());
  } else {
    ADD_FAILURE() << "there is a lease, an empty one";
  }
}

// In release builds too.
TEST(ResultDeathTest, EndsTheProcessWhenUsedForWhatItHasNot) {
  result<std::string> none = busy;
  const result<std::string>& seen = none;
  const result<int> some = 7;
  const result<void> wrong = busy;
  const result<void> fine;
  constexpr auto value = "redlock: the value of a result that is a failure was used";
  constexpr auto error = "redlock: the error of a result that is a success was used";
  EXPECT_DEATH(static_cast<void>(*none), value);
  EXPECT_DEATH(static_cast<void>(*seen), value);
  EXPECT_DEATH(static_cast<void>(*std::move(none)), value);
  EXPECT_DEATH(static_cast<void>(none->size()), value);
  EXPECT_DEATH(static_cast<void>(seen->size()), value);
  EXPECT_DEATH(*wrong, value);
  EXPECT_DEATH(static_cast<void>(some.error()), error);
  EXPECT_DEATH(static_cast<void>(fine.error()), error);
}

TEST(Result, CanBeCopiedIfItsValueCan) {
  static_assert(std::is_copy_constructible_v<result<std::string>>);
  static_assert(!std::is_copy_constructible_v<result<owned>>);
  static_assert(std::is_nothrow_move_constructible_v<result<owned>>);
  static_assert(std::is_nothrow_move_assignable_v<result<owned>>);
  result<std::string> one = std::string("text");
  result<std::string> two = one;
  one = errc::lost;
  EXPECT_EQ(two.value(), "text");
  two = one;
  EXPECT_EQ(two.error().code(), errc::lost);
}

TEST(Result, GivesAccessToItsValue) {
  result<std::string> r = std::string("text");
  EXPECT_EQ(r->size(), 4U);
  *r += "s";
  r.value() += "!";
  const result<std::string>& seen = r;
  EXPECT_EQ(*seen, "texts!");
  EXPECT_EQ(seen->size(), 6U);
  EXPECT_EQ(seen.value(), "texts!");
  const std::string taken = std::move(r).value();
  EXPECT_EQ(taken, "texts!");
}

TEST(Result, GivesOutAValueThatCanOnlyBeMoved) {
  EXPECT_EQ(*some(7).value(), 7);
  result<owned> r = some(8);
  const owned taken = *std::move(r);
  EXPECT_EQ(*taken, 8);
}

TEST(Result, ThrowsItsFailureWhenAskedForTheValueItHasNot) {
  result<std::string> r = busy;
  const result<std::string>& seen = r;
  EXPECT_EQ(thrown_by([&] { static_cast<void>(r.value()); }), errc::held_by_other);
  EXPECT_EQ(thrown_by([&] { static_cast<void>(seen.value()); }), errc::held_by_other);
  EXPECT_EQ(thrown_by([&] { static_cast<void>(std::move(r).value()); }), errc::held_by_other);
  EXPECT_EQ(seen.error().message(), "held by other: busy") << "it is still there";
}

TEST(Result, HasAnotherValueInsteadIfThereIsNone) {
  const result<int> none = busy;
  const result<int> seven = 7;
  EXPECT_EQ(none.value_or(1), 1);
  EXPECT_EQ(seven.value_or(1), 7);
  EXPECT_EQ(*some(7).value_or(nullptr), 7);
  EXPECT_EQ(result<owned>(busy).value_or(nullptr), nullptr);
  EXPECT_EQ(result<std::string>(busy).value_or("other"), "other");
}

TEST(Result, LetsItsFailureBeTakenAndChanged) {
  result<int> r = busy;
  r.error() = errc::lost;
  EXPECT_EQ(r.error().code(), errc::lost);
  const failure taken = std::move(r).error();
  EXPECT_EQ(taken.code(), errc::lost);
}

TEST(Result, GoesOnWithTheValueOrKeepsTheFailure) {
  const auto half = [](owned n) -> result<std::string> {
    if (*n % 2 != 0) return errc::invalid_argument;
    return std::to_string(*n / 2);
  };
  EXPECT_EQ(some(8).and_then(half).value(), "4");
  EXPECT_EQ(some(7).and_then(half).error().code(), errc::invalid_argument);
  EXPECT_EQ(result<owned>(busy).and_then(half).error().message(), "held by other: busy");
  EXPECT_TRUE(some(8).and_then([](owned) -> result<void> { return {}; }).has_value());
}

TEST(Result, GoesOnWithTheFailureOrKeepsTheValue) {
  const auto excuse = [](failure why) -> result<owned> {
    if (why.code() == errc::held_by_other) return std::make_unique<int>(0);
    return why;
  };
  EXPECT_EQ(*some(7).or_else(excuse).value(), 7);
  EXPECT_EQ(*result<owned>(busy).or_else(excuse).value(), 0);
  EXPECT_EQ(result<owned>(errc::lost).or_else(excuse).error().code(), errc::lost);
}

TEST(Result, IsTransformedToAnotherTypeOrToNothing) {
  EXPECT_EQ(some(7).transform([](owned n) { return *n + 0.5; }).value(), 7.5);
  EXPECT_EQ(*some(7).transform([](owned n) { return n; }).value(), 7);
  int seen = 0;
  result<void> done = some(7).transform([&](owned n) { seen = *n; });
  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(seen, 7);
  const auto never = [](owned) -> int {
    ADD_FAILURE() << "called";
    return 0;
  };
  EXPECT_EQ(result<owned>(busy).transform(never).error().code(), errc::held_by_other);
}

TEST(Result, CallsMemberFunctionsToo) {
  struct point {
    int x = 3;
    [[nodiscard]] int twice() const { return 2 * x; }
  };
  EXPECT_EQ(result<point>(point{}).transform(&point::twice).value(), 6);
}

TEST(ResultOfVoid, IsASuccessUnlessItIsMadeOfAFailure) {
  const result<void> fine;
  EXPECT_TRUE(fine.has_value());
  EXPECT_TRUE(static_cast<bool>(fine));
  EXPECT_NO_THROW(fine.value());
  *fine;
  const result<void> wrong = errc::lost;
  EXPECT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code(), errc::lost);
  EXPECT_EQ(thrown_by([&] { wrong.value(); }), errc::lost);
  EXPECT_EQ(result<void>(busy).error().message(), "held by other: busy");
}

TEST(ResultOfVoid, GoesOnAsTheOthersDo) {
  const auto seven = []() -> result<int> { return 7; };
  const auto nothing = [] {};
  const auto excuse = [](failure why) -> result<void> {
    if (why.code() == errc::lost) return {};
    return why;
  };
  EXPECT_EQ(result<void>().and_then(seven).value(), 7);
  EXPECT_EQ(result<void>(busy).and_then(seven).error().code(), errc::held_by_other);
  EXPECT_TRUE(result<void>().or_else(excuse).has_value());
  EXPECT_TRUE(result<void>(errc::lost).or_else(excuse).has_value());
  EXPECT_EQ(result<void>(busy).or_else(excuse).error().code(), errc::held_by_other);
  EXPECT_EQ(result<void>().transform([] { return 7; }).value(), 7);
  EXPECT_TRUE(result<void>().transform(nothing).has_value());
  EXPECT_EQ(result<void>(busy).transform(nothing).error().code(), errc::held_by_other);
}

}  // namespace
}  // namespace redlock
