// wire: the bytes of commands, and the arguments of the scripts.

#include "io/wire.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "io/parsed.h"

namespace redlock::io {
namespace {

using namespace std::string_view_literals;
using strings = std::vector<std::string>;

constexpr std::uint64_t largest_number = std::numeric_limits<std::uint64_t>::max();
constexpr core::attempt_id largest_attempt = std::numeric_limits<core::attempt_id>::max();

std::string written(std::initializer_list<std::string_view> arguments) {
  std::string out;
  append_command(out, arguments);
  return out;
}

strings called(const script_call& call, std::string_view digest, std::uint64_t number) {
  std::string out;
  append_call(out, call, digest, number);
  return parsed(out).strings();
}

TEST(WireCommand, IsAnArrayOfStringsWithLengths) {
  EXPECT_EQ(written({"PING"}), "*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(written({"AUTH", "user", "pass word"}),
            "*3\r\n$4\r\nAUTH\r\n$4\r\nuser\r\n$9\r\npass word\r\n");
}

TEST(WireCommand, CarriesAnyBytesInAnyArgument) {
  EXPECT_EQ(written({"SET", "a\0b"sv, "\r\n$9\r\n", "%s%n%b", "\xff\xfe", ""}),
            "*6\r\n$3\r\nSET\r\n$3\r\na\0b\r\n$6\r\n\r\n$9\r\n\r\n$6\r\n%s%n%b\r\n"
            "$2\r\n\xff\xfe\r\n$0\r\n\r\n"sv);
}

TEST(WireCommand, IsReadBackAsItWasWrittenForEveryByteValue) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  const std::string large(100'000, '\n');
  EXPECT_EQ(parsed(written({every, "", every + every, large})).strings(),
            (strings{every, "", every + every, large}));
}

TEST(WireCommand, IsAppendedToTheOnesBefore) {
  std::string out;
  append_command(out, {"ONE"});
  append_command(out, {"TWO"});
  EXPECT_EQ(out, "*1\r\n$3\r\nONE\r\n*1\r\n$3\r\nTWO\r\n");
}

TEST(WireCommand, TakesMoreArgumentsThanOneDigitCounts) {
  const std::vector<std::string_view> arguments(12, "x");
  std::string out;
  append_command(out, std::span(arguments));
  EXPECT_EQ(parsed(out).strings(), strings(12, "x"));
}

// All that a script could be given; each takes what it needs.
script_call full_call(script what) {
  return {.what = what,
          .key = "key\0\r\n"sv,
          .token = "base.7@me"sv,
          .ttl = core::milliseconds{30'000},
          .base = "base"sv,
          .attempt = 7};
}

TEST(WireCall, GivesEachScriptItsArguments) {
  const std::string key("key\0\r\n"sv);
  const struct {
    script what;
    strings after_key;
  } table[] = {
      {script::acquire, {"42", "base.7@me", "30000", "base", "7", ""}},
      {script::renew, {"42", "base.7@me", "30000"}},
      {script::refill, {"42", "base.7@me", "30000"}},
      {script::release, {"42", "base.7@me"}},
      {script::inspect, {"42"}},
      {script::enroll, {"42", "30000", "31536000000"}},
  };
  for (const auto& row : table) {
    strings expected{"EVALSHA", "digest", "1", key};
    expected.insert(expected.end(), row.after_key.begin(), row.after_key.end());
    EXPECT_EQ(called(full_call(row.what), "digest", 42), expected);
  }
}

TEST(WireCall, GivesTheScriptsOfAQueueMore) {
  script_call call = full_call(script::acquire);
  call.queueing = core::queueing::join;
  call.queue = "queue";
  call.channel = "mine";
  call.listens = true;
  call.released = "old.1@you";
  call.window = core::milliseconds{50};
  const std::string key(call.key);
  EXPECT_EQ(called(call, "digest", 42),
            (strings{"EVALSHA", "digest", "2", key, "queue", "42", "base.7@me", "30000", "base",
                     "7", "old.1@you", "mine", "1", "4000", "50"}));
  call.listens = false;
  EXPECT_EQ(called(call, "digest", 42).at(13), "1000");
  call.queueing = core::queueing::look;
  EXPECT_EQ(called(call, "digest", 42).at(13), "0") << "takes no place";
  call.what = script::release;
  call.queueing = core::queueing::leave;
  EXPECT_EQ(called(call, "digest", 42), (strings{"EVALSHA", "digest", "2", key, "queue", "42",
                                                 "base.7@me", "base", "mine", "1", "50"}));
}

TEST(WireTurn, SaysWhoseItIsAndWhatWasReleased) {
  const auto t = read_turn("0af3 9 old.1@youa key of 1 byte");
  ASSERT_TRUE(t.has_value());
  EXPECT_EQ(t->base, "0af3");
  EXPECT_EQ(t->released, "old.1@you");
  EXPECT_EQ(t->key, "a key of 1 byte");
  EXPECT_EQ(read_turn("0af3 0 key")->released, "");
  for (const char* const wrong : {"", "0af3", "0af3 ", "0af3 x key", "0af3 9 old", "0af3 -1 k"}) {
    EXPECT_FALSE(read_turn(wrong).has_value()) << wrong;
  }
}

TEST(WireCall, SendsTheTextIfThereIsNoDigest) {
  for (const script s : scripts) {
    const strings by_text = called(full_call(s), "", 42);
    EXPECT_EQ(by_text.at(0), "EVAL");
    EXPECT_EQ(by_text.at(1), text_of(s));
    strings by_digest = called(full_call(s), "digest", 42);
    by_digest.at(0) = by_text.at(0);
    by_digest.at(1) = by_text.at(1);
    EXPECT_EQ(by_digest, by_text) << "nothing else differs";
  }
}

TEST(WireCall, WritesTheLargestNumbersInFull) {
  script_call call = full_call(script::acquire);
  call.ttl = core::milliseconds{std::numeric_limits<std::int64_t>::max()};
  call.attempt = largest_attempt;
  const strings arguments = called(call, "digest", largest_number);
  EXPECT_EQ(arguments.at(4), "18446744073709551615");
  EXPECT_EQ(arguments.at(6), "9223372036854775807");
  EXPECT_EQ(arguments.at(8), "4294967295");
}

TEST(WireScripts, HaveATextEachThatNamesItsKeyAndSendsTheNumberBack) {
  std::vector<std::string_view> seen;
  for (const script s : scripts) {
    const std::string_view text = text_of(s);
    EXPECT_NE(text.find("KEYS[1]"), std::string_view::npos);
    const bool echoes = s == script::probe || text.find(", echo, clock") != text.npos;
    EXPECT_TRUE(echoes);
    EXPECT_EQ(text.find("--"), std::string_view::npos) << "comments are not sent";
    EXPECT_EQ(std::find(seen.begin(), seen.end(), text), seen.end());
    seen.push_back(text);
  }
  EXPECT_EQ(seen.size(), scripts.size());
}

TEST(WireScripts, AreNamedAfterTheVerbsOfTheCore) {
  EXPECT_EQ(script_of(core::verb::acquire), script::acquire);
  EXPECT_EQ(script_of(core::verb::renew), script::renew);
  EXPECT_EQ(script_of(core::verb::refill), script::refill);
  EXPECT_EQ(script_of(core::verb::release), script::release);
}

}  // namespace
}  // namespace redlock::io
