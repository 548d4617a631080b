// identity: what INFO says.

#include "io/identity.h"

#include <gtest/gtest.h>

namespace redlock::io {
namespace {

identity told(std::string_view info) {
  identity i;
  i.read(info);
  return i;
}

TEST(Identity, IsReadFromTheSectionsOfInfo) {
  identity i = told("# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nrun_id:abc\r\n");
  EXPECT_FALSE(i.is_verified());
  i.read("# Replication\r\nrole:master\r\nconnected_slaves:0\r\n");
  EXPECT_TRUE(i.is_verified());
  EXPECT_EQ(i.run_id, "abc");
  EXPECT_EQ(i.role, "master");
  EXPECT_FALSE(i.is_replica());
  EXPECT_EQ(i.objection(), "");
}

TEST(Identity, TellsHowLongItHasRunAndWhetherItWasAReplica) {  // D3
  identity i = told("uptime_in_seconds:86400\r\nuptime_in_days:1\r\n");
  EXPECT_EQ(i.uptime, std::chrono::hours(24));
  EXPECT_FALSE(i.promoted);
  i.read("role:master\r\nmaster_replid:abc\r\nsecond_repl_offset:-1\r\n");
  EXPECT_FALSE(i.promoted);
  EXPECT_EQ(i.replid, "abc");
  i.read("second_repl_offset:0\r\n");
  EXPECT_TRUE(i.promoted);
  for (const char* nonsense : {"", "soon", "12s", "1e3"}) {
    EXPECT_FALSE(told(std::string("uptime_in_seconds:") + nonsense + "\r\n").uptime) << nonsense;
  }
  EXPECT_GE(told("uptime_in_seconds:-5\r\n").uptime, std::chrono::seconds(0));
  EXPECT_LE(told("uptime_in_seconds:9223372036854775807\r\n").uptime, std::chrono::hours(876'000));
}

TEST(Identity, OfAReplicaNamesItsMaster) {
  const identity i = told("role:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\n");
  EXPECT_TRUE(i.is_replica());
  EXPECT_EQ(i.master, "10.0.0.1:6379");
}

TEST(Identity, OfAClusterOrASentinelIsNone) {
  EXPECT_NE(told("redis_mode:cluster\r\n").objection(), "");
  EXPECT_NE(told("server_mode:cluster\r\n").objection(), "");
  EXPECT_NE(told("redis_mode:sentinel\r\n").objection(), "");
}

TEST(Identity, IsUnverifiedWhereNothingIsTold) {
  EXPECT_FALSE(told("").is_verified());
  EXPECT_FALSE(told("\r\n::\r\nrun_id\r\n# run_id:x\nxrun_id:y").is_verified());
  EXPECT_EQ(told("run_id:x").run_id, "x");
  EXPECT_EQ(told("run_id:x\nrole:master").role, "master");
}

}  // namespace
}  // namespace redlock::io
