// wire: what replies mean. Rule G5: one reply of each script means yes, and nothing else does.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "io/parsed.h"
#include "io/wire.h"

namespace redlock::io {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using strings = std::vector<std::string>;

constexpr std::uint64_t number = 41;
constexpr auto echo = "41";
constexpr auto time = "1700000000000001";  // microseconds since 1970

// The replies that the scripts can give, as the heads of the .lua files list them.
struct possible {
  script what;
  std::string word;
  std::size_t elements;
  redlock::answer means;
};

const std::vector<possible>& possible_replies() {
  static const std::vector<possible> table{
      {script::acquire, "acquired", 3, answer::granted},
      {script::acquire, "refused", 5, answer::refused},
      {script::acquire, "foreign", 4, answer::foreign},
      {script::renew, "renewed", 3, answer::granted},
      {script::renew, "absent", 3, answer::absent},
      {script::renew, "foreign", 4, answer::foreign},
      {script::refill, "refilled", 3, answer::granted},
      {script::refill, "refused", 5, answer::refused},
      {script::refill, "foreign", 4, answer::foreign},
      {script::release, "deleted", 3, answer::granted},
      {script::release, "absent", 3, answer::absent},
      {script::release, "foreign", 4, answer::foreign},
      {script::inspect, "present", 5, answer::granted},
      {script::inspect, "absent", 3, answer::absent},
      {script::inspect, "foreign", 4, answer::foreign},
  };
  return table;
}

const possible* find(script what, const std::string& word) {
  for (const possible& p : possible_replies()) {
    if (p.what == what && p.word == word) return &p;
  }
  return nullptr;
}

// The first `elements` of a reply that has everything.
strings reply_of(const std::string& word, const std::string& echoed, std::size_t elements) {
  strings whole{word, echoed, time, "holder", "1234", "more"};
  whole.resize(elements);
  return whole;
}

bool is_nothing(script what, const std::string& bytes) {
  return !read_reply(what, core::queueing::none, number, *parsed(bytes)).has_value();
}

std::string shown(script what, const std::string& bytes) {
  return "script " + std::to_string(static_cast<int>(what)) + ": " + bytes;
}

TEST(WireReply, IsReadAsTheScriptMeantIt) {
  for (const possible& p : possible_replies()) {
    const parsed reply(bulks(reply_of(p.word, echo, p.elements)));
    const auto read = read_reply(p.what, core::queueing::none, number, *reply);
    ASSERT_TRUE(read.has_value()) << p.word;
    EXPECT_EQ(read->answer, p.means) << p.word;
    EXPECT_EQ(read->text, p.elements > 3 ? "holder" : "") << p.word;
    EXPECT_EQ(read->key_left, p.elements > 4 ? 1234ms : 0ms) << p.word;
    EXPECT_EQ(read->shown, 1'700'000'000'000'001us) << p.word;
  }
}

TEST(WireReply, MeansNothingWithAWordThatTheScriptDoesNotKnow) {  // G5
  const strings words{"acquired",    "renewed", "refilled", "deleted",  "present",  "refused",
                      "absent",      "foreign", "",         "ACQUIRED", "acquire",  "acquired ",
                      "acquired\0"s, "OK",      "1",        "guarded",  "released", "nil"};
  for (const script s : scripts) {
    for (const std::string& word : words) {
      if (find(s, word) != nullptr) continue;
      for (std::size_t elements = 1; elements <= 6; ++elements) {
        const std::string bytes = bulks(reply_of(word, echo, elements));
        EXPECT_TRUE(is_nothing(s, bytes)) << shown(s, bytes);
      }
    }
  }
}

TEST(WireReply, MeansNothingWithTooFewOrTooManyElements) {  // G5
  for (const possible& p : possible_replies()) {
    for (std::size_t elements = 0; elements <= 6; ++elements) {
      if (elements == p.elements) continue;
      const std::string bytes = bulks(reply_of(p.word, echo, elements));
      EXPECT_TRUE(is_nothing(p.what, bytes)) << shown(p.what, bytes);
    }
  }
}

TEST(WireReply, MeansNothingUnderAnotherNumber) {  // G5: a reply to the command before is no vote
  for (const auto& echoed :
       {"40"s, "42"s, "0"s, ""s, "4"s, "411"s, "41 "s, " 41"s, "+41"s, "-41"s, "41.0"s, "0x29"s,
        "41\0"s, "18446744073709551657"s /* + 2^64 */, "holder"s}) {
    for (const possible& p : possible_replies()) {
      const std::string bytes = bulks(reply_of(p.word, echoed, p.elements));
      EXPECT_TRUE(is_nothing(p.what, bytes)) << shown(p.what, bytes);
    }
  }
}

TEST(WireReply, IsKnownByTheLargestNumberToo) {
  const parsed reply(bulks({"renewed", "18446744073709551615", time}));
  EXPECT_TRUE(
      read_reply(script::renew, core::queueing::none, ~std::uint64_t{0}, *reply).has_value());
  EXPECT_FALSE(
      read_reply(script::renew, core::queueing::none, ~std::uint64_t{0} - 1, *reply).has_value());
}

TEST(WireReply, MeansNothingIfItIsNoArray) {  // G5
  for (const auto& bytes : {":1\r\n"s, ":41\r\n"s, "+OK\r\n"s, "+acquired\r\n"s, "$-1\r\n"s,
                            "*-1\r\n"s, "*0\r\n"s, bulk("acquired"), bulk("")}) {
    for (const script s : scripts) EXPECT_TRUE(is_nothing(s, bytes)) << shown(s, bytes);
  }
}

TEST(WireReply, MeansNothingIfAnyElementIsNoString) {  // G5
  for (const possible& p : possible_replies()) {
    const strings fine = reply_of(p.word, echo, p.elements);
    for (std::size_t wrong = 0; wrong < fine.size(); ++wrong) {
      for (const auto& piece :
           {":41\r\n"s, "$-1\r\n"s, "*-1\r\n"s, "*0\r\n"s, "+" + fine[wrong] + "\r\n",
            "-" + fine[wrong] + "\r\n", bulks({fine[wrong]}), bulks({fine[wrong], echo})}) {
        strings pieces;
        for (const std::string& text : fine) pieces.push_back(bulk(text));
        pieces[wrong] = piece;
        const std::string bytes = array(pieces);
        EXPECT_TRUE(is_nothing(p.what, bytes)) << shown(p.what, bytes);
      }
    }
  }
}

TEST(WireReply, MeansNothingWithoutANumberOfMillisecondsLeft) {
  for (const auto& left : {""s, "-1"s, "-2"s, "1.5"s, "1e3"s, " 5"s, "5 "s, "+5"s, "soon"s, "nan"s,
                           "99999999999999999999999"s}) {
    for (const possible& p : possible_replies()) {
      if (p.elements != 5) continue;
      const std::string bytes = bulks({p.word, echo, time, "holder", left});
      EXPECT_TRUE(is_nothing(p.what, bytes)) << shown(p.what, bytes);
    }
  }
}

TEST(WireReply, MeansNothingWithoutTheTimeOfTheNode) {  // D4
  for (const auto& shown :
       {""s, "-1"s, "1.5"s, "now"s, "7258118400000001"s, "99999999999999999999"s}) {
    for (const possible& p : possible_replies()) {
      strings fields = reply_of(p.word, echo, p.elements);
      fields[2] = shown;
      EXPECT_TRUE(is_nothing(p.what, bulks(fields))) << p.word << " at " << shown;
    }
  }
}

TEST(WireReply, OfAnEnrolmentTellsTheLargestMaxTtl) {  // D6
  const parsed reply(bulks({"enrolled", echo, time, "60000"}));
  const auto read = read_reply(script::enroll, core::queueing::none, number, *reply);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->answer, answer::granted);
  EXPECT_EQ(read->max_ttl, 60s);
  EXPECT_EQ(read->key_left, 0ms);
  for (const auto& none : {""s, "-1"s, "inf"s, "6e4"s}) {
    EXPECT_TRUE(is_nothing(script::enroll, bulks({"enrolled", echo, time, none}))) << none;
  }
  for (const auto& other : {"absent"s, "foreign"s, "refused"s, "acquired"s}) {
    EXPECT_TRUE(is_nothing(script::enroll, bulks({other, echo, time, "60000"}))) << other;
    EXPECT_TRUE(is_nothing(script::enroll, bulks({other, echo, time}))) << other;
  }
}

TEST(WireReply, TellsAKeyInItsLastMillisecondFromNone) {
  const parsed reply(bulks({"refused", echo, time, "holder", "0"}));
  const auto read = read_reply(script::acquire, core::queueing::none, number, *reply);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->answer, answer::refused);
  EXPECT_EQ(read->key_left, 0ms);
}

// Strangers' keys may expire in the year 292,278,994; the core counts in nanoseconds.
TEST(WireReply, NeverGivesATimeLeftThatNanosecondsCannotHold) {
  constexpr auto most = std::chrono::floor<core::milliseconds>(core::nanoseconds::max());
  for (const auto& left :
       {"9223372036854"s, "9223372036855"s, "9223370336854775808"s, "9223372036854775807"s,
        "9223372036854775808"s, "18446744073709551615"s}) {
    const parsed reply(bulks({"refused", echo, time, "holder", left}));
    const auto read = read_reply(script::acquire, core::queueing::none, number, *reply);
    if (!read.has_value()) continue;
    EXPECT_GE(read->key_left, 0ms) << left;
    EXPECT_LE(read->key_left.count(), most.count()) << left;
  }
}

TEST(WireReply, KeepsAnyBytesOfTheHolder) {
  const std::string holder = "a\0b\r\n\xff%s"s;
  const parsed reply(bulks({"refused", echo, time, holder, "5"}));
  const auto read = read_reply(script::refill, core::queueing::none, number, *reply);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->text, holder);
}

TEST(WireReply, IsAnErrorInTheServersWordsForEveryScript) {
  const parsed denied("-NOPERM this user has no permissions to run the 'evalsha' command\r\n");
  const parsed loading("-LOADING Redis is loading the dataset in memory\r\n");
  for (const script s : scripts) {
    const auto first = read_reply(s, core::queueing::none, number, *denied);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->answer, answer::denied);
    EXPECT_EQ(first->text, "NOPERM this user has no permissions to run the 'evalsha' command");
    const auto second = read_reply(s, core::queueing::none, number, *loading);
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(second->answer, answer::error);
    EXPECT_EQ(second->text, "LOADING Redis is loading the dataset in memory");
  }
}

TEST(WireReply, NeverMeansYesAsAnErrorThatHasTheRightWordInIt) {  // G5
  for (const possible& p : possible_replies()) {
    const auto read = read_reply(p.what, core::queueing::none, number,
                                 *parsed("-" + p.word + " 41 holder 1234\r\n"));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->answer, answer::error) << p.word;
  }
}

TEST(WireReply, HasTheTextThatTheServerSentOrNone) {
  EXPECT_EQ(text_of(*parsed("+OK\r\n")), "OK");
  EXPECT_EQ(text_of(*parsed(bulk("a\0b"s))), "a\0b"s);
  EXPECT_EQ(text_of(*parsed("$-1\r\n")), "");
  EXPECT_EQ(text_of(*parsed(":5\r\n")), "");
  EXPECT_EQ(text_of(*parsed("*0\r\n")), "");
}

}  // namespace
}  // namespace redlock::io
