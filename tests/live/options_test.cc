// What is refused before anything is sent.

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "fake_server.h"
#include "live.h"

namespace redlock::live {
namespace {

// Nobody listens there, and nobody needs to.
std::vector<endpoint> somewhere(std::size_t n) {
  std::vector<endpoint> nodes;
  for (std::size_t i = 0; i < n; ++i) nodes.emplace_back("127.0.0.1:" + std::to_string(1 + i));
  return nodes;
}

options valid() {
  options o;
  o.nodes = somewhere(5);
  o.connect_timeout = 100ms;
  return o;
}

testing::AssertionResult is_refused(const options& o) {
  try {
    const lock_manager locks(o);
    return testing::AssertionFailure() << "accepted";
  } catch (const lock_error& e) {
    if (e.why().code() != errc::invalid_argument) {
      return testing::AssertionFailure() << name(e.why().code());
    }
    if (e.why().message().size() < 20) return testing::AssertionFailure() << e.why().message();
    return testing::AssertionSuccess();
  }
}

TEST(options, that_break_a_limit_are_refused_by_the_constructor) {
  const std::vector<void (*)(options&)> breaches{
      [](options& o) { o.nodes = somewhere(0); },
      [](options& o) { o.nodes = somewhere(32); },
      [](options& o) { o.quorum = 1; },
      [](options& o) { o.quorum = 2; },
      [](options& o) { o.quorum = 6; },
      [](options& o) { o.node_timeout = 0ms; },
      [](options& o) { o.node_timeout = -1ms; },
      [](options& o) { o.node_timeout = 999us; },
      [](options& o) { o.connect_timeout = 0ms; },
      [](options& o) { o.connect_timeout = -1s; },
      [](options& o) { o.hung_timeout = 0ms; },
      [](options& o) { o.drift_factor = -0.01; },
      [](options& o) { o.drift_factor = 0.51; },
      [](options& o) { o.drift_factor = std::numeric_limits<double>::quiet_NaN(); },
      [](options& o) { o.drift_factor = std::numeric_limits<double>::infinity(); },
      [](options& o) { o.max_ttl = 0ms; },
      [](options& o) { o.max_ttl = -1s; },
      [](options& o) { o.client_name = std::string(257, 'x'); },
      [](options& o) { o.max_leases = 0; },
      [](options& o) { o.max_leases = 10'000'001; },
      [](options& o) { o.nodes[0].host.clear(); },
      [](options& o) { o.nodes[0].port = 0; },
      [](options& o) { o.nodes[0].database = -1; },
      [](options& o) { o.nodes[0].unix_path = std::string(200, '/'); },
  };
  for (std::size_t i = 0; i < breaches.size(); ++i) {
    options o = valid();
    breaches[i](o);
    EXPECT_TRUE(is_refused(o)) << "breach " << i;
  }
}

TEST(options, at_their_limits_are_accepted) {
  const std::vector<void (*)(options&)> limits{
      [](options&) {},
      [](options& o) { o.nodes = somewhere(1); },
      [](options& o) { o.nodes = somewhere(31); },
      [](options& o) { o.quorum = 3; },
      [](options& o) { o.quorum = 5; },
      [](options& o) { o.node_timeout = 1ms; },
      [](options& o) { o.connect_timeout = 1ms; },
      [](options& o) { o.drift_factor = 0; },
      [](options& o) { o.drift_factor = 0.5; },
      [](options& o) { o.client_name = std::string(256, 'x'); },
      [](options& o) { o.max_leases = 1; },
      [](options& o) { o.key_prefix.clear(); },
  };
  for (std::size_t i = 0; i < limits.size(); ++i) {
    options o = valid();
    limits[i](o);
    EXPECT_NO_THROW(const lock_manager locks(o)) << "limit " << i;
  }
}

TEST(options, that_are_refused_cause_no_connection) {
  fake_server server(&fake_server::nothing);
  options o;
  o.nodes = {endpoint(server.uri())};
  o.quorum = 2;
  EXPECT_TRUE(is_refused(o));
  EXPECT_TRUE(throughout(50ms, [&] { return server.accepted() == 0; }));
}

testing::AssertionResult is_refused(lock_manager& locks, std::string_view resource,
                                    const lock_options& o) {
  // An endless wait would not end if anything was tried.
  lock_options endless = o;
  if (endless.wait == 0ms) endless.wait = wait_forever;
  return failed_with(errc::invalid_argument, locks.acquire(resource, endless));
}

TEST(lock_options, that_break_a_limit_are_refused) {
  const std::vector<void (*)(lock_options&)> breaches{
      [](lock_options& o) { o.ttl = 0ms; },
      [](lock_options& o) { o.ttl = -1ms; },
      [](lock_options& o) { o.ttl = 400us; },
      [](lock_options& o) { o.ttl = 3ms; },  // drift takes 2.03, min_validity 1
      [](lock_options& o) { o.ttl = 60s + 1ns; },
      [](lock_options& o) { o.ttl = nanoseconds::max(); },
      [](lock_options& o) { o.ttl = nanoseconds::min(); },
      [](lock_options& o) { o.wait = -1ms; },
      [](lock_options& o) { o.retry_delay = 999us; },
      [](lock_options& o) { o.retry_delay = 1h + 1ns, o.retry_max = 2h; },
      [](lock_options& o) { o.retry_max = o.retry_delay - 1ns; },
      [](lock_options& o) { o.retry_max = 1h + 1ns; },
      [](lock_options& o) { o.spin_interval = 999us; },
      [](lock_options& o) { o.spin_budget = -1ns; },
      [](lock_options& o) { o.spin_budget = 1h + 1ns; },
      [](lock_options& o) { o.short_hold = -1ns; },
      [](lock_options& o) { o.long_hold = o.short_hold - 1ns; },
      [](lock_options& o) { o.long_hold = 1h + 1ns; },
      [](lock_options& o) { o.policy = retry_policy::custom; },
      [](lock_options& o) {
        o.retry_pause = [](const pause_request&, void*) noexcept { return nanoseconds{1ms}; };
      },
      [](lock_options& o) { o.max_hold = 9s; },
      [](lock_options& o) { o.max_hold = -1s; },
      [](lock_options& o) { o.min_validity = -1ms; },
      [](lock_options& o) { o.min_validity = 10s; },
      [](lock_options& o) { o.stop_margin = -1ms; },
      [](lock_options& o) { o.stop_margin = 10s; },
      [](lock_options& o) { o.renewal = renewal::every(-2ms); },
      [](lock_options& o) { o.renewal = renewal::every(10s); },
      [](lock_options& o) { o.renewal = renewal::every(9900ms); },
      [](lock_options& o) { o.renewal = renewal::every(6s), o.stop_margin = 5s; },
      [](lock_options& o) { o.stop_margin = 8s; },  // the automatic renewal would come later
  };
  lock_manager locks(valid());
  for (std::size_t i = 0; i < breaches.size(); ++i) {
    lock_options o;
    breaches[i](o);
    EXPECT_TRUE(is_refused(locks, "r", o)) << "breach " << i;
  }
}

TEST(resource_names, that_are_empty_or_too_long_are_refused) {
  lock_manager locks(valid());
  EXPECT_TRUE(is_refused(locks, "", {}));
  EXPECT_TRUE(is_refused(locks, std::string(resource_bytes_max + 1, 'x'), {}));
  EXPECT_TRUE(failed_with(errc::invalid_argument, locks.inspect("")));
  EXPECT_TRUE(
      failed_with(errc::invalid_argument, locks.inspect(std::string(resource_bytes_max + 1, 'x'))));
}

TEST(resource_names, that_would_meet_a_side_key_are_refused) {
  options o = valid();
  o.key_prefix.clear();
  lock_manager locks(o);
  for (const char* name :
       {"redlock-fence:r", "redlock-queue:r", "redlock-turn:r", "redlock-node"}) {
    EXPECT_TRUE(is_refused(locks, name, {})) << name;
  }
}

TEST(uris, that_are_none_are_refused_with_a_reason_but_without_their_password) {
  for (const char* uri : {"",
                          "redis://",
                          "http://a",
                          "redis://a:0",
                          "redis://a:65536",
                          "redis://a:x",
                          "redis://a:-1",
                          "redis://a:",
                          "redis://a/x",
                          "redis://a/-1",
                          "redis://a/1/2",
                          "redis://[::1",
                          "redis://::1]",
                          "redis://[]:1",
                          "unix:",
                          "unix:/a?db=x",
                          "unix:/a?nonsense=1",
                          "redis://u:s3cret%@a",
                          "redis://u:s3cret%zz@a",
                          "redis://u:s3cret@",
                          "a b",
                          "a\nb:1",
                          "redis://a?nonsense=1"}) {
    try {
      const endpoint e{std::string_view(uri)};
      ADD_FAILURE() << "accepted: " << uri << " as " << e.name();
    } catch (const lock_error& e) {
      EXPECT_EQ(e.why().code(), errc::invalid_argument) << uri;
      EXPECT_EQ(e.why().message().find("s3cret"), std::string::npos) << e.why().message();
      EXPECT_GT(e.why().message().size(), 20U) << e.why().message();
    }
  }
}

TEST(uris, say_where_who_and_which_database) {
  const endpoint full("redis://us%65r:p%40ss@redis.example:7000/5");
  EXPECT_EQ(full.host, "redis.example");
  EXPECT_EQ(full.port, 7000);
  EXPECT_EQ(full.username, "user");
  EXPECT_EQ(full.password, "p@ss");
  EXPECT_EQ(full.database, 5);
  EXPECT_EQ(full.name(), "redis.example:7000");
  const endpoint bare("10.0.0.1");
  EXPECT_EQ(bare.name(), "10.0.0.1:6379");
  EXPECT_EQ(endpoint("redis://:pw@a").password, "pw");
  EXPECT_EQ(endpoint("redis://:pw@a").username, "");
  EXPECT_EQ(endpoint("redis://[::1]:7000").host, "::1");
  EXPECT_EQ(endpoint("[fe80::1]:7000").name(), "[fe80::1]:7000");
  const endpoint socket("unix://user:pw@/run/redis.sock?db=2");
  EXPECT_EQ(socket.unix_path, "/run/redis.sock");
  EXPECT_EQ(socket.username, "user");
  EXPECT_EQ(socket.password, "pw");
  EXPECT_EQ(socket.database, 2);
  EXPECT_EQ(socket.name(), "unix:/run/redis.sock");
  EXPECT_EQ(endpoint("unix:/a%20b").unix_path, "/a b");
}

TEST(max_leases, is_a_limit_that_says_overloaded) {
  masters nodes(1);
  options o = nodes.options();
  o.max_leases = 2;
  lock_manager locks(std::move(o));
  result<lease> a = locks.acquire("a");
  const result<lease> b = locks.acquire("b");
  ASSERT_TRUE(succeeded(a) && succeeded(b));
  EXPECT_TRUE(failed_with(errc::overloaded, locks.acquire("c")));
  ASSERT_TRUE(succeeded(a->release()));
  EXPECT_TRUE(eventually([&] { return locks.acquire("c").has_value(); }));
}

TEST(max_leases, does_not_count_a_lease_that_is_gone) {
  masters nodes(3);
  options o = nodes.options();
  o.max_leases = 1;
  lock_manager locks(std::move(o));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(succeeded(locks.acquire(std::to_string(i), {.wait = 10s}))) << i;
  }
}

TEST(max_leases, does_not_count_what_was_released_although_a_node_has_not_confirmed_it) {
  masters nodes(3);
  options o = nodes.options();
  o.max_leases = 2;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes[0].stop();
  for (int i = 0; i < 10; ++i) {
    result<lease> held = locks.acquire("r" + std::to_string(i), {.ttl = 60s});
    ASSERT_TRUE(succeeded(held)) << i;
    ASSERT_TRUE(succeeded(held->release())) << i;
  }
}

}  // namespace
}  // namespace redlock::live
