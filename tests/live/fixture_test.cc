// The fixture itself: a live test can only be as true as what it stands on.

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>

#include "eventually.h"
#include "fake_server.h"
#include "process.h"
#include "proxy.h"
#include "redis_server.h"
#include "temp_dir.h"

namespace redlock::live {
namespace {

using namespace std::chrono_literals;
using context_ptr = std::unique_ptr<redisContext, decltype(&redisFree)>;

context_ptr connect(const std::string& name, std::chrono::milliseconds limit = 10s) {
  const std::size_t colon = name.rfind(':');
  const timeval tv{limit.count() / 1000, limit.count() % 1000 * 1000};
  context_ptr c(redisConnectWithTimeout("127.0.0.1", std::stoi(name.substr(colon + 1)), tv),
                &redisFree);
  if (c->err == 0) redisSetTimeout(c.get(), tv);
  return c;
}

std::string ping(redisContext* c) {
  const std::unique_ptr<void, decltype(&freeReplyObject)> r(redisCommand(c, "PING"),
                                                            &freeReplyObject);
  return r ? static_cast<redisReply*>(r.get())->str : "";
}

TEST(a_server, answers_as_soon_as_it_is_there) {
  redis_server server;
  EXPECT_EQ(server.command({"PING"}).text, "PONG");
  EXPECT_EQ(ping(connect(server.name()).get()), "PONG");
}

TEST(a_server, is_our_child_and_nobody_elses) {
  redis_server a;
  redis_server b;
  EXPECT_NE(a.port(), b.port());
  a.command({"SET", "k", "a"});
  EXPECT_EQ(b.command({"EXISTS", "k"}).number, 0);
}

TEST(a_server, comes_back_empty_on_the_same_port_after_a_restart) {
  redis_server server;
  const std::uint16_t port = server.port();
  server.command({"SET", "k", "v"});
  server.restart();
  EXPECT_EQ(server.port(), port);
  EXPECT_EQ(server.command({"EXISTS", "k"}).number, 0);
}

TEST(a_server, refuses_connections_while_it_is_killed) {
  redis_server server;
  server.kill();
  EXPECT_FALSE(server.answers());
  EXPECT_NE(connect(server.name())->err, 0);
  server.start();
  EXPECT_EQ(connect(server.name())->err, 0);
}

TEST(a_server, keeps_its_connections_but_answers_nothing_while_it_is_stopped) {
  redis_server server;
  const context_ptr c = connect(server.name(), 50ms);
  server.stop();
  EXPECT_EQ(ping(c.get()), "");
  server.cont();
  EXPECT_EQ(server.command({"PING"}).text, "PONG");
}

TEST(a_server, asks_for_its_password) {
  redis_server server({.arguments = {}, .password = "s3cret"});
  EXPECT_EQ(server.command({"PING"}).text, "PONG");
  EXPECT_EQ(ping(connect(server.name()).get()).substr(0, 6), "NOAUTH");
}

TEST(a_server, with_an_argument_it_does_not_know_is_reported_with_its_own_words) {
  try {
    redis_server server({.arguments = {"--no-such-thing", "1"}, .password = {}});
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("no-such-thing"), std::string::npos) << e.what();
  }
}

TEST(a_directory, is_gone_after_its_owner) {
  std::filesystem::path path;
  {
    temp_dir dir;
    path = dir.path();
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(a_directory_and_a_server, are_gone_after_a_test_that_was_killed) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    redis_server server;
    const std::string path = server.socket_path();
    if (::write(ends[1], path.data(), path.size()) > 0) ::raise(SIGKILL);
    ::_exit(1);
  }
  ::close(ends[1]);
  std::string path(256, '\0');
  path.resize(static_cast<std::size_t>(::read(ends[0], path.data(), path.size())));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  const std::filesystem::path dir = std::filesystem::path(path).parent_path();
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(dir); })) << dir;
}

TEST(a_proxy, passes_everything_on) {
  redis_server server;
  proxy path(server.port());
  const context_ptr c = connect(path.name());
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(ping(c.get()), "PONG");
  EXPECT_EQ(path.connections(), 1U);
  EXPECT_GT(path.passed(direction::requests), 1000U);
}

TEST(a_proxy, holds_replies_until_told_to_pass_them) {
  redis_server server;
  proxy path(server.port());
  const context_ptr c = connect(path.name());
  path.hold(direction::replies);
  redisAppendCommand(c.get(), "SET k v");
  int done = 0;
  redisBufferWrite(c.get(), &done);
  EXPECT_TRUE(eventually([&] { return path.held(direction::replies) > 0; }));
  EXPECT_EQ(server.command({"GET", "k"}).text, "v");
  path.pass(direction::replies);
  void* r = nullptr;
  ASSERT_EQ(redisGetReply(c.get(), &r), REDIS_OK);
  freeReplyObject(r);
}

TEST(a_proxy, delivers_held_requests_although_the_client_is_gone) {
  redis_server server;
  proxy path(server.port());
  {
    const context_ptr c = connect(path.name());
    path.hold(direction::requests);
    redisAppendCommand(c.get(), "SET k late");
    int done = 0;
    redisBufferWrite(c.get(), &done);
    EXPECT_TRUE(eventually([&] { return path.held(direction::requests) > 0; }));
  }
  EXPECT_EQ(server.command({"EXISTS", "k"}).number, 0);
  path.pass(direction::requests);
  EXPECT_TRUE(eventually([&] { return server.command({"GET", "k"}).text == "late"; }));
  EXPECT_TRUE(eventually([&] { return path.connections() == 0; }));
}

TEST(a_proxy, delays_by_the_time_it_was_told) {
  redis_server server;
  proxy path(server.port());
  const context_ptr c = connect(path.name());
  path.delay(direction::replies, 50ms);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ping(c.get()), "PONG");
  EXPECT_GE(std::chrono::steady_clock::now() - start, 50ms);
}

TEST(a_proxy, resets_connections_whose_replies_it_swallowed) {
  redis_server server;
  proxy path(server.port());
  const context_ptr c = connect(path.name());
  path.swallow(direction::replies);
  redisAppendCommand(c.get(), "SET k v");
  int done = 0;
  redisBufferWrite(c.get(), &done);
  EXPECT_TRUE(eventually([&] { return path.swallowed(direction::replies) > 0; }));
  EXPECT_EQ(server.command({"GET", "k"}).text, "v");
  path.pass(direction::replies);
  void* r = nullptr;
  EXPECT_EQ(redisGetReply(c.get(), &r), REDIS_ERR);
}

TEST(a_proxy, strands_the_connections_that_are_there_and_no_others) {
  redis_server server;
  proxy path(server.port());
  const context_ptr old = connect(path.name());
  ASSERT_EQ(ping(old.get()), "PONG");
  path.strand();
  redisAppendCommand(old.get(), "SET k late");
  int done = 0;
  redisBufferWrite(old.get(), &done);
  EXPECT_EQ(ping(connect(path.name()).get()), "PONG");
  EXPECT_TRUE(eventually([&] { return path.held(direction::requests) > 0; }));
  EXPECT_EQ(server.command({"EXISTS", "k"}).number, 0);
  path.thaw();
  EXPECT_TRUE(eventually([&] { return server.command({"GET", "k"}).text == "late"; }));
}

TEST(a_proxy, cuts_connections_and_takes_new_ones) {
  redis_server server;
  proxy path(server.port());
  const context_ptr c = connect(path.name());
  ASSERT_EQ(ping(c.get()), "PONG");
  path.cut();
  EXPECT_EQ(path.connections(), 0U);
  void* r = nullptr;
  EXPECT_EQ(redisGetReply(c.get(), &r), REDIS_ERR);
  EXPECT_EQ(ping(connect(path.name()).get()), "PONG");
}

TEST(a_proxy, refuses_connections_until_told_to_accept_them) {
  redis_server server;
  proxy path(server.port());
  path.refuse();
  EXPECT_NE(connect(path.name())->err, 0);
  path.accept();
  EXPECT_EQ(ping(connect(path.name()).get()), "PONG");
}

TEST(a_fake_server, answers_what_it_is_told_to) {
  fake_server fake([](std::string_view) { return "+NOT REALLY\r\n"; });
  const context_ptr c = connect(fake.uri());
  EXPECT_EQ(ping(c.get()), "NOT REALLY");
}

TEST(a_black_hole, neither_accepts_nor_refuses) {
  black_hole hole;
  const context_ptr c = connect(hole.uri(), 50ms);
  EXPECT_NE(c->err, 0);
  EXPECT_EQ(std::string(c->errstr).find("refused"), std::string::npos) << c->errstr;
}

}  // namespace
}  // namespace redlock::live
