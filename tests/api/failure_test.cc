// failure: codes, their words and conditions, and the one line that tells people everything.

#include "redlock/failure.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

namespace redlock {
namespace {

using namespace std::string_literals;

struct expected_code {
  errc code;
  int value;
  std::string_view name;
  std::string_view sentence;
  std::errc condition;
};

// As failure.h says.
constexpr expected_code codes[] = {
    {errc::held_by_other, 1, "held_by_other", "held by other", std::errc::device_or_resource_busy},
    {errc::no_quorum, 2, "no_quorum", "no quorum of the nodes gave an answer",
     std::errc::host_unreachable},
    {errc::too_slow, 3, "too_slow", "granted too late to be of use", std::errc::timed_out},
    {errc::lost, 4, "lost", "the lease was lost", std::errc::owner_dead},
    {errc::not_held, 5, "not_held", "the lease is not held", std::errc::operation_not_permitted},
    {errc::cancelled, 6, "cancelled", "cancelled by the caller", std::errc::operation_canceled},
    {errc::shut_down, 7, "shut_down", "the lock_manager was closed", std::errc::connection_aborted},
    {errc::invalid_argument, 8, "invalid_argument", "invalid argument",
     std::errc::invalid_argument},
    {errc::would_deadlock, 9, "would_deadlock",
     "a blocking call on the thread of options::loop: use the asynchronous form",
     std::errc::resource_deadlock_would_occur},
    {errc::overloaded, 10, "overloaded", "a limit of this client is reached",
     std::errc::resource_unavailable_try_again},
    {errc::bad_configuration, 11, "bad_configuration", "too many nodes are misconfigured",
     std::errc::wrong_protocol_type},
};

constexpr votes split{.nodes = 5, .quorum = 3, .granted = 1, .refused = 2, .faults = 2};

TEST(Failure, HasANameASentenceAndAConditionForEveryCode) {
  for (const expected_code& e : codes) {
    EXPECT_EQ(static_cast<int>(e.code), e.value);
    EXPECT_EQ(name(e.code), e.name);
    const std::error_code code = e.code;
    EXPECT_EQ(code.value(), e.value);
    EXPECT_EQ(code.message(), e.sentence);
    EXPECT_EQ(code, e.condition) << e.name;
    EXPECT_EQ(failure(e.code).message(), e.sentence);
  }
}

TEST(Failure, MeetsNoConditionButItsOwn) {
  for (const expected_code& one : codes) {
    for (const expected_code& other : codes) {
      EXPECT_EQ(std::error_code(one.code) == other.condition, one.code == other.code);
    }
  }
}

TEST(Failure, HasACategoryOfItsOwn) {
  EXPECT_STREQ(category().name(), "redlock");
  EXPECT_EQ(make_error_code(errc::lost).category(), category());
  EXPECT_NE(make_error_code(errc::lost), std::error_code(4, std::generic_category()));
  static_assert(std::is_error_code_enum_v<errc>);
}

TEST(Failure, SaysThatItDoesNotKnowACodeThatIsNone) {
  for (const int e : {0, -1, 12, 1000}) {
    EXPECT_EQ(category().message(e), "unknown redlock error");
    EXPECT_EQ(name(static_cast<errc>(e)), "unknown");
    EXPECT_EQ(category().default_error_condition(e), std::error_condition(e, category()));
  }
}

TEST(Failure, HasANameForEveryAnswer) {
  std::set<std::string_view> seen;
  for (auto a = static_cast<int>(answer::granted); a <= static_cast<int>(answer::unsent); ++a) {
    seen.insert(name(static_cast<answer>(a)));
  }
  EXPECT_EQ(seen, (std::set<std::string_view>{"granted", "refused", "absent", "foreign", "guarded",
                                              "duplicate", "replica", "denied", "error",
                                              "timed_out", "unreachable", "unsent"}));
  EXPECT_EQ(name(static_cast<answer>(200)), "unknown");
}

TEST(Failure, TellsTheWholeVoteInOneLine) {
  const failure why(errc::held_by_other, split,
                    {{"10.0.0.1:6379", answer::granted, ""},
                     {"10.0.0.2:6379", answer::refused, "1f2e.1@web-7:811"},
                     {"[::1]:6379", answer::refused, ""},
                     {"unix:/run/redis.sock", answer::error, "LOADING Redis is loading"},
                     {"10.0.0.5:6379", answer::timed_out, ""}});
  EXPECT_EQ(why.message(),
            "held by other: 1 of 5 nodes said yes, 3 needed; "
            "10.0.0.2:6379 refused (held by 1f2e.1@web-7:811); [::1]:6379 refused; "
            "unix:/run/redis.sock error (LOADING Redis is loading); 10.0.0.5:6379 timed_out");
}

TEST(Failure, PutsItsDetailBeforeTheVote) {
  EXPECT_EQ(failure(errc::invalid_argument, "the port is 0").message(),
            "invalid argument: the port is 0");
  EXPECT_EQ(
      failure(errc::no_quorum, split, {}, "while renewing").message(),
      "no quorum of the nodes gave an answer: while renewing: 1 of 5 nodes said yes, 3 needed");
}

// The last round of a lease that ends by the clock, or with its manager, may have gone well.
TEST(Failure, CountsNoVotesOfALeaseThatEndedButNamesTheNodesThatDidNotSayYes) {
  constexpr votes all{.nodes = 3, .quorum = 2, .granted = 3};
  for (const errc e : {errc::lost, errc::not_held, errc::shut_down}) {
    EXPECT_EQ(failure(e, all, {{"a:1", answer::granted, ""}}).message(), failure(e).message());
  }
  EXPECT_EQ(failure(errc::lost, split, {{"a:1", answer::absent, ""}, {"b:1", answer::granted, ""}})
                .message(),
            "the lease was lost; a:1 absent");
}

// What a node said yes to may be an acquire, a renewal or a release.
TEST(Failure, SaysOfEveryKindOfRoundHowManyNodesSaidYes) {
  for (const errc e : {errc::held_by_other, errc::no_quorum, errc::too_slow, errc::cancelled,
                       errc::bad_configuration}) {
    EXPECT_EQ(failure(e, split, {}).message(),
              failure(e).message() + ": 1 of 5 nodes said yes, 3 needed");
  }
}

TEST(Failure, NeverLetsAServerWriteToTheTerminal) {
  const failure why(errc::no_quorum, split,
                    {{"a\r\nb:1", answer::refused, "x\0y\x1b[31m"s},
                     {"c:1", answer::error, "\x7f\x80\xff\tcaf\xc3\xa9"}},
                    "first\nsecond");
  const std::string text = why.message();
  EXPECT_EQ(text,
            "no quorum of the nodes gave an answer: first\\x0asecond: 1 of 5 nodes said yes, "
            "3 needed; a\\x0d\\x0ab:1 refused (held by x\\x00y\\x1b[31m); "
            "c:1 error (\\x7f\\x80\\xff\\x09caf\\xc3\\xa9)");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    for (const char c : failure(errc::lost, one).message()) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << "of byte " << byte;
    }
  }
}

TEST(Failure, KeepsWhatItWasMadeOf) {
  const failure why(errc::too_slow, split, {{"a:1", answer::unsent, "text"}});
  EXPECT_EQ(why.code(), errc::too_slow);
  EXPECT_EQ(why.votes(), split);
  ASSERT_EQ(why.nodes().size(), 1U);
  EXPECT_EQ(why.nodes()[0].node, "a:1");
  EXPECT_EQ(why.nodes()[0].answer, answer::unsent);
  EXPECT_EQ(why.nodes()[0].text, "text");
  EXPECT_EQ(std::error_code(why), errc::too_slow);
  const failure bare = errc::lost;
  EXPECT_EQ(bare.votes(), votes{});
  EXPECT_TRUE(bare.nodes().empty());
}

TEST(LockError, CarriesItsFailureAsCodeAndAsText) {
  const lock_error error(failure(errc::held_by_other, split, {{"a:1", answer::refused, "me"}}));
  EXPECT_EQ(error.code(), errc::held_by_other);
  EXPECT_EQ(error.code(), std::errc::device_or_resource_busy);
  EXPECT_EQ(error.why().votes(), split);
  EXPECT_EQ(error.what(), error.why().message()) << "nothing is said twice";
  EXPECT_STREQ(lock_error(errc::lost).what(), "the lease was lost");
  const lock_error copy = error;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_STREQ(copy.what(), error.what());
  static_assert(std::is_base_of_v<std::system_error, lock_error>);
}

}  // namespace
}  // namespace redlock
