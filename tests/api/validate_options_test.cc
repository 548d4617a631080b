// validate: both sides of every limit of options, and of a resource's name.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "api/validate.h"

namespace redlock::detail {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

constexpr nanoseconds longest_ttl = 24h * 365;

std::vector<endpoint> nodes(std::size_t count) {
  std::vector<endpoint> list;
  for (std::size_t n = 0; n < count; ++n) list.emplace_back("a" + std::to_string(n));
  return list;
}

options good(std::size_t count = 5) {
  options o;
  o.nodes = nodes(count);
  return o;
}

struct change {
  const char* what;
  void (*apply)(options&);
};

void expect_taken(const std::vector<change>& changes) {
  for (const change& c : changes) {
    options o = good();
    c.apply(o);
    const auto s = settings_of(o);
    EXPECT_TRUE(s.has_value()) << c.what << ": " << s.error().message();
  }
}

// The message names the part.
void expect_refused(const std::string& part, const std::vector<change>& changes) {
  for (const change& c : changes) {
    options o = good();
    c.apply(o);
    const auto s = settings_of(o);
    ASSERT_FALSE(s.has_value()) << c.what;
    EXPECT_EQ(s.error().code(), errc::invalid_argument) << c.what;
    EXPECT_NE(s.error().message().find(part), std::string::npos)
        << c.what << ": " << s.error().message();
  }
}

TEST(ValidateOptions, TakesTheDefaultsForAnyNumberOfNodesUpToThirtyOne) {
  for (std::size_t count = 1; count <= nodes_max; ++count) {
    const auto s = settings_of(good(count));
    ASSERT_TRUE(s.has_value());
    EXPECT_EQ(s->nodes.size(), count);
    EXPECT_EQ(s->quorum, count / 2 + 1);
  }
  for (const std::size_t count : {0U, 32U, 1000U}) {
    const auto s = settings_of(good(count));
    ASSERT_FALSE(s.has_value());
    EXPECT_NE(s.error().message().find("options::nodes"), std::string::npos);
  }
}

TEST(ValidateOptions, TakesAQuorumFromTheMajorityToAllAndNoOther) {  // G1, B04
  for (std::size_t count = 1; count <= nodes_max; ++count) {
    for (std::size_t quorum = 1; quorum <= count + 2; ++quorum) {
      options o = good(count);
      o.quorum = quorum;
      const auto s = settings_of(o);
      const bool fine = 2 * quorum > count && quorum <= count;
      ASSERT_EQ(s.has_value(), fine) << quorum << " of " << count;
      if (fine) {
        EXPECT_EQ(s->quorum, quorum);
      } else {
        EXPECT_NE(s.error().message().find("options::quorum"), std::string::npos);
      }
    }
  }
}

TEST(ValidateOptions, LimitsEveryTimeout) {
  expect_taken({
      {"node 1 ms", [](options& o) { o.node_timeout = 1ms; }},
      {"node 1 h", [](options& o) { o.node_timeout = 1h; }},
      {"connect 1 ms", [](options& o) { o.connect_timeout = 1ms; }},
      {"connect 1 h", [](options& o) { o.connect_timeout = 1h; }},
      {"hung 1 ms", [](options& o) { o.hung_timeout = 1ms; }},
      {"hung 1 h", [](options& o) { o.hung_timeout = 1h; }},
      {"ttl 1 ms", [](options& o) { o.max_ttl = 1ms; }},
      {"ttl 365 days", [](options& o) { o.max_ttl = longest_ttl; }},
  });
  expect_refused("options::node_timeout",
                 {
                     {"below 1 ms", [](options& o) { o.node_timeout = 1ms - 1ns; }},
                     {"above 1 h", [](options& o) { o.node_timeout = 1h + 1ns; }},
                     {"0", [](options& o) { o.node_timeout = 0ns; }},
                     {"negative", [](options& o) { o.node_timeout = -50ms; }},
                     {"least", [](options& o) { o.node_timeout = nanoseconds::min(); }},
                     {"most", [](options& o) { o.node_timeout = nanoseconds::max(); }},
                 });
  expect_refused("options::connect_timeout",
                 {
                     {"below 1 ms", [](options& o) { o.connect_timeout = 1ms - 1ns; }},
                     {"above 1 h", [](options& o) { o.connect_timeout = 1h + 1ns; }},
                 });
  expect_refused("options::hung_timeout",
                 {
                     {"below 1 ms", [](options& o) { o.hung_timeout = 1ms - 1ns; }},
                     {"above 1 h", [](options& o) { o.hung_timeout = 1h + 1ns; }},
                 });
  expect_refused("options::max_ttl",
                 {
                     {"below 1 ms", [](options& o) { o.max_ttl = 1ms - 1ns; }},
                     {"above 365 days", [](options& o) { o.max_ttl = longest_ttl + 1ns; }},
                 });
}

TEST(ValidateOptions, LimitsTheDriftFactor) {
  expect_taken({
      {"0", [](options& o) { o.drift_factor = 0; }},
      {"0.5", [](options& o) { o.drift_factor = 0.5; }},
  });
  expect_refused(
      "options::drift_factor",
      {
          {"above 0.5", [](options& o) { o.drift_factor = std::nextafter(0.5, 1.0); }},
          {"below 0", [](options& o) { o.drift_factor = std::nextafter(0.0, -1.0); }},
          {"nan", [](options& o) { o.drift_factor = std::numeric_limits<double>::quiet_NaN(); }},
          {"inf", [](options& o) { o.drift_factor = std::numeric_limits<double>::infinity(); }},
      });
}

TEST(ValidateOptions, LimitsCountsAndLengths) {
  expect_taken({
      {"1 lease", [](options& o) { o.max_leases = 1; }},
      {"10 million leases", [](options& o) { o.max_leases = 10'000'000; }},
      {"name of 256", [](options& o) { o.client_name = std::string(256, 'n'); }},
      {"no prefix", [](options& o) { o.key_prefix = ""; }},
      {"prefix of 4096", [](options& o) { o.key_prefix = std::string(4096, 'p'); }},
  });
  expect_refused("options::max_leases",
                 {
                     {"0", [](options& o) { o.max_leases = 0; }},
                     {"10 million and 1", [](options& o) { o.max_leases = 10'000'001; }},
                 });
  expect_refused("options::client_name",
                 {{"257", [](options& o) { o.client_name = std::string(257, 'n'); }}});
  expect_refused("options::key_prefix",
                 {{"4097", [](options& o) { o.key_prefix = std::string(4097, 'p'); }}});
}

TEST(ValidateOptions, ChecksNodesThatWereMadeByHand) {
  expect_taken({
      {"port 1", [](options& o) { o.nodes[2].port = 1; }},
      {"path of 107", [](options& o) { o.nodes[2].unix_path = "/" + std::string(106, 'x'); }},
      {"path and no host",
       [](options& o) {
         o.nodes[2] = endpoint();
         o.nodes[2].unix_path = "/s";
       }},
      {"path and port 0",
       [](options& o) {
         o.nodes[2].unix_path = "/s";
         o.nodes[2].port = 0;
       }},
      {"database", [](options& o) { o.nodes[2].database = 1'000'000; }},
  });
  expect_refused("neither host nor path", {{"nothing", [](options& o) { o.nodes[2].host = ""; }}});
  expect_refused("port", {{"port 0", [](options& o) { o.nodes[2].port = 0; }}});
  expect_refused(
      "path",
      {{"path of 108", [](options& o) { o.nodes[2].unix_path = "/" + std::string(107, 'x'); }}});
  expect_refused("a1:6379 twice", {{"name", [](options& o) { o.nodes[2] = o.nodes[1]; }},
                                   {"database", [](options& o) {
                                      o.nodes[2] = o.nodes[1];
                                      o.nodes[2].database = 3;
                                    }}});
  expect_refused("database", {{"negative", [](options& o) { o.nodes[2].database = -1; }}});
}

TEST(ValidateOptions, HandsOnWhatItWasGiven) {
  options o = good(3);
  o.node_timeout = 11ms;
  o.connect_timeout = 12ms;
  o.hung_timeout = 13ms;
  o.max_leases = 14;
  o.key_prefix = "k:";
  o.client_name = "me";
  const auto s = settings_of(o);
  ASSERT_TRUE(s.has_value());
  EXPECT_EQ(s->nodes.at(2).host, "a2");
  EXPECT_EQ(s->node_timeout, 11ms);
  EXPECT_EQ(s->connect_timeout, 12ms);
  EXPECT_EQ(s->hung_timeout, 13ms);
  EXPECT_EQ(s->max_leases, 14U);
  EXPECT_EQ(s->key_prefix, "k:");
  EXPECT_EQ(s->client_name, "me");
  EXPECT_EQ(s->connection_name, "me");
}

TEST(ValidateOptions, NamesTheClientAfterHostAndProcessUnlessItHasAName) {
  const auto s = settings_of(good());
  ASSERT_TRUE(s.has_value());
  EXPECT_TRUE(s->client_name.ends_with(":" + std::to_string(::getpid()))) << s->client_name;
  EXPECT_GT(s->client_name.size(), std::to_string(::getpid()).size() + 1);
}

TEST(ValidateOptions, TakesCredentialsFromOnePlaceOutsideTheEndpointsOnly) {
  options o = good();
  o.nodes[0].username = "app";
  o.nodes[0].password.clear();
  EXPECT_FALSE(settings_of(o).has_value()) << "a user name alone";
  o.password_file = "/some/file";
  EXPECT_TRUE(settings_of(o).has_value());
  o.credentials = [](const endpoint&) { return credentials{"app", "x"}; };
  EXPECT_FALSE(settings_of(o).has_value()) << "both";
  o.password_file.clear();
  const auto s = settings_of(o);
  ASSERT_TRUE(s.has_value());
  EXPECT_EQ(s->credentials(o.nodes[0]).password, "x");
}

TEST(ValidateOptions, MakesAConnectionNameThatServersTake) {
  options o = good();
  o.client_name = "two words\n\t\0\x7f\x80\xff!~"s;
  const auto s = settings_of(o);
  ASSERT_TRUE(s.has_value());
  EXPECT_EQ(s->client_name, o.client_name);
  EXPECT_EQ(s->connection_name, "two_words______!~");
}

TEST(ValidateResource, TakesNamesOfOneTo4096BytesOfAnyKind) {
  for (const auto& name : {"a"s, "\0"s, "\r\n"s, "redlock"s, std::string(4096, 'x')}) {
    EXPECT_TRUE(check_resource("redlock:", name).has_value()) << name;
  }
  for (const auto& name : {""s, std::string(4097, 'x')}) {
    const auto checked = check_resource("redlock:", name);
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().code(), errc::invalid_argument);
    EXPECT_NE(checked.error().message().find("resource"), std::string::npos);
  }
}

TEST(ValidateResource, RefusesKeysThatAreReservedHoweverTheyAreCutInTwo) {
  for (const auto& key : {"redlock-fence:x"s, "redlock-queue:x"s, "redlock-turn:x"s,
                          "redlock-node"s, "redlock-node-7"s, "redlock-fence:"s}) {
    for (std::size_t cut = 0; cut < key.size(); ++cut) {
      EXPECT_FALSE(check_resource(key.substr(0, cut), key.substr(cut)).has_value())
          << key << " cut at " << cut;
    }
  }
  for (const auto& key : {"redlock:redlock-fence:x"s, "redlock-fence"s, "redlock-turns"s,
                          "Redlock-node"s, "redlock-nod"s, "x redlock-node"s}) {
    EXPECT_TRUE(check_resource("", key).has_value()) << key;
  }
}

}  // namespace
}  // namespace redlock::detail
