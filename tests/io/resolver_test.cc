// resolver: a look-up ends on the thread that drains the inbox, or not at all once it is closed.

#include "io/resolver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

namespace redlock::io {
namespace {

using namespace std::chrono_literals;

// No name server is asked: an address, or a name that can be none.
std::optional<lookup> looked_up(const std::string& host, std::uint16_t port) {
  const auto mail = std::make_shared<inbox>();
  std::optional<lookup> found;
  std::thread::id where;
  look_up(host, port, mail, [&](lookup l) {
    found = std::move(l);
    where = std::this_thread::get_id();
  });
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!found && std::chrono::steady_clock::now() < deadline) {
    mail->drain();
    std::this_thread::yield();
  }
  if (found) {
    EXPECT_EQ(where, std::this_thread::get_id());
  }
  mail->close();
  return found;
}

TEST(Resolver, FindsAnAddressWithItsPort) {
  const auto found = looked_up("127.0.0.1", 6380);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->error, "");
  ASSERT_EQ(found->addresses.size(), 1U);
  EXPECT_EQ(found->addresses[0].where.ss_family, AF_INET);
}

TEST(Resolver, SaysWhyANameGivesNoAddress) {
  const auto found = looked_up(std::string(300, 'x'), 6380);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->addresses.empty());
  EXPECT_TRUE(found->error.starts_with("cannot resolve the name: ")) << found->error;
}

TEST(Resolver, DropsWhatItFindsAfterTheInboxIsClosed) {
  const auto mail = std::make_shared<inbox>();
  mail->close();
  const auto watched = std::make_shared<int>(0);
  look_up("127.0.0.1", 6380, mail, [watched](const lookup&) { ADD_FAILURE() << "called"; });
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (watched.use_count() > 1 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(watched.use_count(), 1) << "the callback is let go all the same";
}

}  // namespace
}  // namespace redlock::io
