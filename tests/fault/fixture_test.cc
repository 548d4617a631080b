// What the fault bench adds to the live fixture: each fault is seen to do what it says.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <string_view>

#include "live/eventually.h"
#include "live/proxy.h"
#include "live/redis_server.h"
#include "stepped.h"

namespace redlock::fault {
namespace {

using live::direction;
using live::eventually;
using live::proxy;
using live::redis_server;
using namespace std::chrono_literals;

long long seconds(const redis_server& server) {
  return std::stoll(server.command({"TIME"}).items.at(0).text);
}

// A bare connection to the server behind the path.
class connection {
 public:
  explicit connection(proxy& path)
      : socket_(live::connect_to(static_cast<std::uint16_t>(
            std::stoi(path.name().substr(path.name().rfind(':') + 1))))) {}

  void send(std::string_view bytes) {
    EXPECT_TRUE(eventually([&] {
      return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
             static_cast<ssize_t>(bytes.size());
    }));
  }
  // All that came so far, with what comes now.
  const std::string& received() {
    char buffer[4096];
    const ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (n > 0) received_.append(buffer, static_cast<std::size_t>(n));
    if (n == 0) ended_ = true;
    return received_;
  }
  [[nodiscard]] bool receives(std::string_view bytes) {
    return eventually([&] { return received() == bytes; });
  }
  [[nodiscard]] bool ends() {
    return eventually([&] { return received(), ended_; });
  }

 private:
  live::descriptor socket_;
  std::string received_;
  bool ended_ = false;
};

TEST(a_stepped_clock, is_the_one_of_the_server_and_of_its_expiries) {
  redis_server server(stepped());
  const long long before = seconds(server);
  server.command({"SET", "k", "v", "EX", "600"});
  server.step_clock(1h);
  EXPECT_GE(seconds(server), before + 3600);
  EXPECT_LT(seconds(server), before + 3600 + 600);
  EXPECT_EQ(server.command({"EXISTS", "k"}).number, 0);
  server.step_clock(-2h);
  EXPECT_LT(seconds(server), before - 3600 + 600);
}

TEST(a_stepped_clock, stays_so_over_a_restart) {
  redis_server server(stepped());
  const long long before = seconds(server);
  server.step_clock(1h);
  server.restart();
  EXPECT_GE(seconds(server), before + 3600);
}

TEST(a_server_that_keeps_data, has_it_after_a_restart_until_it_forgets) {
  redis_server server({.arguments = {}, .password = {}, .keeps_data = true});
  server.command({"SET", "k", "v"});
  server.restart();
  EXPECT_EQ(server.command({"GET", "k"}).text, "v");
  server.kill();
  server.forget();
  server.start();
  EXPECT_EQ(server.command({"EXISTS", "k"}).number, 0);
}

TEST(a_server_that_keeps_data, can_be_seen_loading_it) {
  redis_server server({.arguments = {}, .password = {}, .keeps_data = true});
  server.fill();
  server.command({"SET", "k", "v"});
  server.kill();
  server.start_loading();
  EXPECT_TRUE(server.command({"GET", "k"}).text.starts_with("LOADING"));
  EXPECT_TRUE(eventually([&] { return server.command({"GET", "k"}).text == "v"; }));
}

TEST(a_proxy, trickles) {
  redis_server server;
  proxy path(server.port());
  path.trickle(direction::replies, 10ms);
  connection c(path);
  const auto start = std::chrono::steady_clock::now();
  c.send("PING\r\n");
  EXPECT_TRUE(c.receives("+PONG\r\n"));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 60ms);
  path.pass(direction::replies);
  c.send("PING\r\n");
  EXPECT_TRUE(c.receives("+PONG\r\n+PONG\r\n"));
}

TEST(a_proxy, ends_one_direction_of_a_connection) {
  redis_server server;
  proxy path(server.port());
  connection c(path);
  c.send("PING\r\n");
  ASSERT_TRUE(c.receives("+PONG\r\n"));
  path.half_close(direction::replies);
  EXPECT_TRUE(c.ends());
  c.send("SET k v\r\n");
  EXPECT_TRUE(eventually([&] { return server.command({"GET", "k"}).text == "v"; }));
}

TEST(a_proxy, injects_bytes) {
  redis_server server;
  proxy path(server.port());
  connection c(path);
  c.send("PING\r\n");
  ASSERT_TRUE(c.receives("+PONG\r\n"));
  path.inject(direction::replies, "+FALSE\r\n");
  EXPECT_TRUE(c.receives("+PONG\r\n+FALSE\r\n"));
}

}  // namespace
}  // namespace redlock::fault
