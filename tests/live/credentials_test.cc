// Credentials that come from elsewhere, for every connection anew.

#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "live.h"
#include "temp_dir.h"

namespace redlock::live {
namespace {

void set_password(masters& nodes, const std::string& password) {
  for (redis_server& node : nodes) {
    node.command({"ACL", "SETUSER", "app", "reset", "on", ">" + password, "~*", "&*", "+@all"});
  }
}

void kill_connections(masters& nodes) {
  for (redis_server& node : nodes) node.command({"CLIENT", "KILL", "USER", "app"});
}

// What the callbacks of a test ask, and what they may outlive.
struct vault {
  std::mutex mutex;
  std::string password = "0ld-secret";
  std::atomic<int> asked = 0;
  std::atomic<bool> open = true;

  credentials get() {
    ++asked;
    while (!open) std::this_thread::sleep_for(1ms);
    const std::lock_guard lock(mutex);
    return {"app", password};
  }
  void set(const std::string& to) {
    const std::lock_guard lock(mutex);
    password = to;
  }
};

options asking(masters& nodes, const std::shared_ptr<vault>& whom) {
  options o = nodes.options();
  o.credentials = [whom](const endpoint&) { return whom->get(); };
  return o;
}

bool connected_again(const lock_manager& locks) {
  return eventually([&] {
    for (const node_status& n : locks.nodes()) {
      if (n.state != node_state::up || n.connects < 2) return false;
    }
    return true;
  });
}

void expect_no_secret(const lock_manager& locks) {
  for (const node_status& n : locks.nodes()) {
    EXPECT_EQ(n.last_error.find("-secret"), std::string::npos) << n.last_error;
  }
}

TEST(credentials_from_a_callback, follow_a_password_that_changes) {
  masters nodes(3);
  set_password(nodes, "0ld-secret");
  const auto secrets = std::make_shared<vault>();
  lock_manager locks(asking(nodes, secrets));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 30s, .renewal = renewal::every(20ms)});
  ASSERT_TRUE(succeeded(held));

  secrets->set("n3w-secret");
  set_password(nodes, "n3w-secret");
  kill_connections(nodes);
  EXPECT_TRUE(connected_again(locks));
  const auto end = held->expires_at();
  EXPECT_TRUE(eventually([&] { return held->expires_at() > end; })) << "renewed all the same";
  EXPECT_TRUE(held->held());
  EXPECT_GE(secrets->asked, 6);
  expect_no_secret(locks);
}

TEST(credentials_from_a_callback, that_are_wrong_for_a_while_are_asked_for_until_they_are_right) {
  masters nodes(3);
  set_password(nodes, "n3w-secret");
  const auto secrets = std::make_shared<vault>();
  lock_manager locks(asking(nodes, secrets));
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_GE(count(refused.error(), answer::denied), 2U) << refused.error().message();
  EXPECT_EQ(refused.error().message().find("-secret"), std::string::npos);
  expect_no_secret(locks);
  secrets->set("n3w-secret");
  EXPECT_TRUE(all_up(locks));
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(credentials_from_a_callback, that_come_slowly_hold_up_their_node_alone) {
  masters nodes(3);
  set_password(nodes, "0ld-secret");
  const auto slow = std::make_shared<vault>();
  slow->open = false;
  options o = nodes.options();
  const std::string first = nodes[0].name();
  o.credentials = [slow, first](const endpoint& e) {
    return e.name() == first ? slow->get() : credentials{"app", "0ld-secret"};
  };
  {
    lock_manager locks(o);
    EXPECT_TRUE(succeeded(locks.acquire("r")));
    EXPECT_NE(locks.nodes()[0].state, node_state::up);
    slow->open = true;
    EXPECT_TRUE(all_up(locks));
    slow->open = false;
    nodes[0].command({"CLIENT", "KILL", "USER", "app"});
    EXPECT_TRUE(eventually([&] { return slow->asked == 2; }));
  }  // and not its end either
  slow->open = true;
}

TEST(credentials_from_a_callback, that_throws_are_reported_for_the_node) {
  masters nodes(1);
  options o = nodes.options();
  o.credentials = [](const endpoint&) -> credentials { throw std::runtime_error("sealed"); };
  lock_manager locks(std::move(o));
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::no_quorum, refused));
  EXPECT_NE(
      refused.error().message().find(nodes[0].name() + " unreachable (no credentials: sealed)"),
      std::string::npos)
      << refused.error().message();
}

TEST(credentials_from_a_callback, see_the_endpoint_and_may_give_none) {
  masters nodes(1);
  options o = nodes.options();
  std::atomic<bool> same = false;
  {
    const endpoint expected = o.nodes[0];
    o.credentials = [&same, expected](const endpoint& e) -> credentials {
      same = e.port == expected.port;
      return {};
    };
    lock_manager locks(std::move(o));
    EXPECT_TRUE(succeeded(locks.acquire("r")));
  }
  EXPECT_TRUE(same);
}

TEST(a_password_file, is_read_again_for_every_connection) {
  masters nodes(3);
  set_password(nodes, "0ld-secret");
  const temp_dir directory;
  const std::string path = directory.path() / "password";
  const auto write = [&](const std::string& password) { std::ofstream(path) << password << '\n'; };
  write("0ld-secret");
  options o = nodes.options();
  o.password_file = path;
  for (endpoint& node : o.nodes) node.username = "app";
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  EXPECT_TRUE(succeeded(locks.acquire("r")));

  set_password(nodes, "n3w-secret");
  kill_connections(nodes);
  EXPECT_TRUE(eventually([&] { return locks.nodes()[0].state == node_state::denied; }));
  expect_no_secret(locks);
  write("n3w-secret");
  EXPECT_TRUE(connected_again(locks));
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = 10s})));
}

TEST(a_password_file, that_cannot_be_read_is_named) {
  masters nodes(1);
  options o = nodes.options();
  o.password_file = "/no/such/file";
  lock_manager locks(std::move(o));
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::no_quorum, refused));
  EXPECT_NE(refused.error().message().find("/no/such/file cannot be read"), std::string::npos)
      << refused.error().message();
}

}  // namespace
}  // namespace redlock::live
