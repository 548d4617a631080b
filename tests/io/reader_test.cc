// What the reader makes of whatever a server may send.

#include "io/reader.h"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

namespace redlock::io {
namespace {

TEST(Reader, GivesReplyAfterReplyHoweverTheBytesAreCut) {
  const std::string_view bytes = "+OK\r\n*2\r\n$8\r\nacquired\r\n$1\r\n7\r\n-ERR no\r\n";
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    reader r;
    int replies = 0;
    for (const std::string_view part : {bytes.substr(0, cut), bytes.substr(cut)}) {
      r.feed(part);
      while (const reply_ptr reply = r.next()) ++replies;
    }
    EXPECT_EQ(replies, 3) << cut;
    EXPECT_EQ(r.error(), "");
  }
}

TEST(Reader, MakesNoRoomForArraysThatAreNoReplyOfOurs) {
  for (const char* bytes :
       {"*33\r\n", "*50000000\r\n:1\r\n", "*2147483647\r\n", "*1\r\n*1\r\n:1\r\n"}) {
    reader r;
    r.feed(bytes);
    EXPECT_EQ(r.next(), nullptr) << bytes;
    EXPECT_FALSE(r.error().empty()) << bytes;
  }
}

TEST(Reader, GivesUpAReplyThatGrowsWithoutEnd) {
  reader r;
  r.feed("$536870912\r\n");
  const std::string more(std::size_t{64} * 1024, 'x');
  int fed = 0;
  while (r.error().empty() && fed < 100) {
    EXPECT_EQ(r.next(), nullptr);
    r.feed(more);
    ++fed;
  }
  EXPECT_EQ(r.error(), "the server's reply is too long");
  EXPECT_LE(fed, 17);
  EXPECT_EQ(r.next(), nullptr);
}

TEST(Reader, SaysWhatIsNoRedis) {
  reader r;
  r.feed("HTTP/1.1 400 Bad Request\r\n");
  EXPECT_EQ(r.next(), nullptr);
  EXPECT_TRUE(r.error().starts_with("this is not a Redis server: ")) << r.error();
}

}  // namespace
}  // namespace redlock::io
