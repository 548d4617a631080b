// wire: what the errors of servers mean, in their own words: Redis 5 to 8, Valkey, Sentinel.

#include <gtest/gtest.h>

#include <string>

#include "io/parsed.h"
#include "io/wire.h"

namespace redlock::io {
namespace {

void expect_all(answer expected, std::initializer_list<std::string_view> errors) {
  for (const std::string_view error : errors) {
    EXPECT_EQ(classify_error(error), expected) << error;
  }
}

TEST(WireError, TellsAReplica) {  // D2
  expect_all(
      answer::replica,
      {"READONLY You can't write against a read only replica.",
       "READONLY You can't write against a read only slave.",
       "ERR Error running script (call to f_8d2dd3bf2b6a1b0b2a5d52a0ef5d0d4b6ae44a1d): "
       "@user_script:19: @user_script: 19: -READONLY You can't write against a read only replica.",
       "ERR Error running script (call to f_8d2dd3bf2b6a1b0b2a5d52a0ef5d0d4b6ae44a1d): "
       "@user_script:19: -READONLY You can't write against a read only slave.",
       "READONLY You can't write against a read only replica. script: "
       "8d2dd3bf2b6a1b0b2a5d52a0ef5d0d4b6ae44a1d, on @user_script:19."});
}

TEST(WireError, TellsWrongAndMissingPasswords) {
  expect_all(
      answer::denied,
      {"NOAUTH Authentication required.",
       "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
       "<proto> AUTH <user> <pass> option can be used to authenticate the client and select the "
       "RESP protocol version at the same time",
       "WRONGPASS invalid username-password pair or user is disabled.",
       "WRONGPASS invalid username-password pair", "ERR invalid password",
       "ERR Client sent AUTH, but no password is set",
       "ERR AUTH <password> called without any password configured for the default user. Are you "
       "sure your configuration is correct?"});
}

TEST(WireError, TellsMissingRightsAlsoAsAScriptMeetsThem) {
  expect_all(
      answer::denied,
      {"NOPERM this user has no permissions to run the 'evalsha' command",
       "NOPERM this user has no permissions to run the 'evalsha' command or its subcommand",
       "NOPERM User lock has no permissions to run the 'script|load' command",
       "NOPERM this user has no permissions to access one of the keys used as arguments",
       "NOPERM No permissions to access a key",
       "NOPERM ACL failure in script: User lock has no permissions to run the 'pexpire' command "
       "script: 8d2dd3bf2b6a1b0b2a5d52a0ef5d0d4b6ae44a1d, on @user_script:19.",
       "The user executing the script can't run this command or subcommand script: "
       "8d2dd3bf2b6a1b0b2a5d52a0ef5d0d4b6ae44a1d, on @user_script:19.",
       "ERR Error running script (call to f_8d2dd3bf2b6a1b0b2a5d52a0ef5d0d4b6ae44a1d): "
       "ERR ACL failure in script: User app has no permissions to run the 'get' command script: "
       "cc15a6c6df0d3c2492eb8839353ac885acacb40a, on @user_script:1.",
       "ERR ACL failure in script: No permissions to access a key script: "
       "e1ccb49062dcd2e8d9ce3b8fec6dce167cb3ff02, on @user_script:1.",
       "@user_script:1: @user_script: 1: The user executing the script can't run this command or "
       "subcommand",
       "The user executing the script can't access at least one of the keys mentioned in the "
       "command arguments script: 8d2dd3bf2b6a1b0b2a5d52a0ef5d0d4b6ae44a1d, on @user_script:1."});
}

TEST(WireError, TellsAServerThatTakesNobodyFromElsewhere) {
  expect_all(
      answer::denied,
      {"DENIED Redis is running in protected mode because protected mode is enabled, no bind "
       "address was specified, no authentication password is requested to clients. In this "
       "mode connections are only accepted from the loopback interface.",
       "DENIED Redis is running in protected mode because protected mode is enabled and no "
       "password is set for the default user. In this mode connections are only accepted "
       "from the loopback interface.",
       "DENIED Running in protected mode because protected mode is enabled and no password "
       "is set for the default user. In this mode connections are only accepted from the "
       "loopback interface."});
}

TEST(WireError, TellsAClusterAndASentinel) {
  expect_all(answer::denied,
             {"MOVED 3999 127.0.0.1:6381", "MOVED 0 :7000",
              "CROSSSLOT Keys in request don't hash to the same slot",
              "CLUSTERDOWN Hash slot not served", "CLUSTERDOWN The cluster is down",
              "ERR Unknown command called from script script: 0a2b, on @user_script:5.",
              "ERR unknown command 'EVALSHA'",
              "ERR unknown command `EVALSHA`, with args beginning with: `8d2dd3bf`, `1`, `key`, ",
              "ERR unknown command 'EVAL', with args beginning with: 'local key' '1' 'key' ",
              "ERR unknown command 'SCRIPT', with args beginning with: 'LOAD' ",
              "ERR DB index is out of range"});
}

TEST(WireError, TakesWhatMayPassForAMereError) {
  expect_all(
      answer::error,
      {"LOADING Redis is loading the dataset in memory",
       "LOADING Valkey is loading the dataset in memory",
       "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
       "OOM command not allowed when used memory > 'maxmemory'.",
       "ERR Error running script (call to f_8d2dd3bf2b6a1b0b2a5d52a0ef5d0d4b6ae44a1d): "
       "@user_script:19: @user_script: 19: -OOM command not allowed when used memory > "
       "'maxmemory'.",
       "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
       "disk. Commands that may modify the data set are disabled, because this instance is "
       "configured to report errors during writes if RDB snapshotting fails "
       "(stop-writes-on-bgsave-error option). Please check the Redis logs for details about the "
       "RDB "
       "error.",
       "MISCONF Errors writing to the AOF file: No space left on device",
       "NOREPLICAS Not enough good replicas to write.",
       "NOREPLICAS Not enough good slaves to write.",
       "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
       "TRYAGAIN Multiple keys request during rehashing of slot",
       "EXECABORT Transaction discarded because of previous errors.",
       "UNBLOCKED force unblock from blocking operation, instance state changed (master -> "
       "replica?)",
       "NOSCRIPT No matching script. Please use EVAL.",
       "WRONGTYPE Operation against a key holding the wrong kind of value",
       "ERR max number of clients reached",
       "ERR max number of clients + cluster connections reached",
       "ERR Protocol error: invalid bulk length",
       "ERR Protocol error: unbalanced quotes in request",
       "ERR syntax error",
       "ERR value is not an integer or out of range",
       "ERR invalid expire time in 'set' command",
       "ERR wrong number of arguments for 'evalsha' command",
       "ERR Error compiling script (new function): user_script:1: '=' expected near 'key'",
       "ERR Client name cannot contain spaces, newlines or special characters.",
       "ERR",
       ""});
}

TEST(WireError, KnowsAScriptThatTheServerHasForgotten) {
  EXPECT_TRUE(is_unknown_script(*parsed("-NOSCRIPT No matching script. Please use EVAL.\r\n")));
  EXPECT_TRUE(is_unknown_script(*parsed("-NOSCRIPT No matching script.\r\n")));
  EXPECT_FALSE(is_unknown_script(*parsed("-ERR the key NOSCRIPT\r\n")));
  EXPECT_FALSE(is_unknown_script(*parsed("+NOSCRIPT No matching script.\r\n")));
  EXPECT_FALSE(is_unknown_script(*parsed(bulk("NOSCRIPT No matching script."))));
  EXPECT_FALSE(is_unknown_script(*parsed(bulks({"NOSCRIPT"}))));
  EXPECT_FALSE(is_unknown_script(*parsed("$-1\r\n")));
}

}  // namespace
}  // namespace redlock::io
