// Tokens as text.

#include "io/token.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace redlock::io {
namespace {

const std::string base = "f0d5ace659a4f6f1c5dc41ecada8607f";

TEST(AToken, IsTakenApart) {
  const std::string text = base + ".12@web-1:4711";
  const auto parts = parse_token(text);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->base, (core::base{0xf0d5ace659a4f6f1U, 0xc5dc41ecada8607fU}));
  EXPECT_EQ(parts->attempt, 12U);
  EXPECT_EQ(parts->client_name, "web-1:4711");
  EXPECT_EQ(hexadecimal(parts->base), base);
}

TEST(AToken, MayNameItsClientInAnyBytes) {
  const std::string name("a@b.c\n\0\xff", 8);
  const std::string text = base + ".1@" + name;
  ASSERT_TRUE(parse_token(text));
  EXPECT_EQ(parse_token(text)->client_name, name);
}

TEST(AToken, HasTheAttemptsThereCanBe) {
  EXPECT_EQ(parse_token(base + ".4294967295@c")->attempt, 4294967295U);
  EXPECT_FALSE(parse_token(base + ".4294967296@c"));
  EXPECT_FALSE(parse_token(base + ".0@c"));
  EXPECT_FALSE(parse_token(base + ".01@c"));
}

TEST(AToken, IsNothingElseThanWhatWeWrite) {
  const std::array<std::string, 16> others{
      "",
      "x",
      "@",
      "@c",
      ".1@c",
      base,
      base + ".1",
      base + ".1@",
      base + "1@c",
      base + ".@c",
      base + ".+1@c",
      base + ". 1@c",
      base + ".1x@c",
      base.substr(1) + ".1@c",
      base.substr(1) + "F.1@c",
      base + ".1@" + std::string(257, 'c'),
  };
  for (const std::string& other : others) EXPECT_FALSE(parse_token(other)) << other;
  EXPECT_TRUE(parse_token(base + ".1@" + std::string(256, 'c')));
}

}  // namespace
}  // namespace redlock::io
