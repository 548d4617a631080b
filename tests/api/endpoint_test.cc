// endpoint: what a node's URI means, and what is said of one that means nothing.

#include <gtest/gtest.h>

#include <string>

#include "redlock/failure.h"
#include "redlock/options.h"

namespace redlock {
namespace {

using namespace std::string_literals;

struct parts {
  std::string host;
  std::uint16_t port = 6379;
  std::string username = {};
  std::string password = {};
  int database = 0;
};

void expect_tcp(const std::string& uri, const parts& expected) {
  SCOPED_TRACE(uri);
  const endpoint e(uri);
  EXPECT_EQ(e.host, expected.host);
  EXPECT_EQ(e.port, expected.port);
  EXPECT_EQ(e.unix_path, "");
  EXPECT_EQ(e.username, expected.username);
  EXPECT_EQ(e.password, expected.password);
  EXPECT_EQ(e.database, expected.database);
}

struct unix_parts {
  std::string path;
  std::string username = {};
  std::string password = {};
  int database = 0;
};

void expect_unix(const std::string& uri, const unix_parts& expected) {
  SCOPED_TRACE(uri);
  const endpoint e(uri);
  EXPECT_EQ(e.unix_path, expected.path);
  EXPECT_EQ(e.username, expected.username);
  EXPECT_EQ(e.password, expected.password);
  EXPECT_EQ(e.database, expected.database);
}

// What the constructor says of it; empty if it takes it.
std::string complaint(const std::string& uri) {
  try {
    const endpoint e(uri);
  } catch (const lock_error& error) {
    EXPECT_EQ(error.why().code(), errc::invalid_argument) << uri;
    return error.what();
  }
  return {};
}

TEST(Endpoint, IsAHostAndAPort) {
  expect_tcp("redis://10.0.0.1:6380", {"10.0.0.1", 6380});
  expect_tcp("redis://10.0.0.1", {"10.0.0.1"});
  expect_tcp("redis://10.0.0.1/", {"10.0.0.1"});
  expect_tcp("10.0.0.1:6380", {"10.0.0.1", 6380});
  expect_tcp("lock-1.example.org", {"lock-1.example.org"});
  expect_tcp("a", {"a"});
  expect_tcp("a:1", {"a", 1});
  expect_tcp("a:65535", {"a", 65535});
}

TEST(Endpoint, TakesAnIpv6AddressInBrackets) {
  expect_tcp("redis://[::1]", {"::1"});
  expect_tcp("redis://[::1]:6380", {"::1", 6380});
  expect_tcp("[fe80::1%eth0]:6380", {"fe80::1%eth0", 6380});
  expect_tcp("redis://u:p@[2001:db8::1]:6380/3", {"2001:db8::1", 6380, "u", "p", 3});
}

TEST(Endpoint, TakesCredentialsAndADatabase) {
  expect_tcp("redis://lock:secret@a:6380/2", {"a", 6380, "lock", "secret", 2});
  expect_tcp("redis://:secret@a", {"a", 6379, "", "secret"});
  expect_tcp("lock:secret@a:6380", {"a", 6380, "lock", "secret"});
  expect_tcp("redis://a/15", {"a", 6379, "", "", 15});
  expect_tcp("redis://a?db=3", {"a", 6379, "", "", 3});
}

TEST(Endpoint, TakesUnencodedSignsInPasswordsWhereTheyCannotBeMistaken) {
  expect_tcp("redis://lock:p@ss@a", {"a", 6379, "lock", "p@ss"});
  expect_tcp("redis://lock:p:a:s@a:1", {"a", 1, "lock", "p:a:s"});
  expect_tcp("redis://lock:p?s#s@a:1", {"a", 1, "lock", "p?s#s"});
}

TEST(Endpoint, DecodesPercentSignsInUserPasswordAndPath) {
  expect_tcp("redis://l%40ck:p%2Fs%3as%25@a", {"a", 6379, "l@ck", "p/s:s%"});
  expect_tcp("redis://u:a%00b%fF@a", {"a", 6379, "u", "a\0b\xff"s});
  expect_unix("unix:/run/with%20space/r%3fs.sock", {"/run/with space/r?s.sock"});
  expect_unix("unix://u:p%40@/run/redis.sock", {"/run/redis.sock", "u", "p@"});
}

TEST(Endpoint, IsAUnixSocketWithDatabaseAndCredentials) {
  expect_unix("unix:/run/redis.sock", {"/run/redis.sock"});
  expect_unix("unix:///run/redis.sock", {"/run/redis.sock"});
  expect_unix("unix:/run/redis.sock?db=7", {"/run/redis.sock", "", "", 7});
  expect_unix("unix://lock:secret@/run/redis.sock", {"/run/redis.sock", "lock", "secret"});
  expect_unix("unix://:secret@/run/redis.sock?db=7", {"/run/redis.sock", "", "secret", 7});
  expect_unix("unix:///run/at@sign:colon.sock", {"/run/at@sign:colon.sock"});
}

TEST(Endpoint, NamesThePartThatIsWrong) {
  const struct {
    const char* uri;
    const char* part;
  } table[] = {
      {"", "the host is missing"},
      {"redis://", "the host is missing"},
      {"redis://:6379", "the host is missing"},
      {"redis:///0", "the host is missing"},
      {"redis://u:p@", "the host is missing"},
      {"redis://[]", "the host is missing"},
      {":6379", "the host is missing"},
      {"redis://a b", "the host has white space"},
      {"redis://a\t", "the host has white space"},
      {"redis://a\n", "the host has white space"},
      {"redis://a:", "the port"},
      {"redis://a:0", "the port"},
      {"redis://a:65536", "the port"},
      {"redis://a:-1", "the port"},
      {"redis://a:+1", "the port"},
      {"redis://a:x", "the port"},
      {"redis://a:63 79", "the port"},
      {"redis://a:6379x", "the port"},
      {"redis://a:99999999999999999999", "the port"},
      {"redis://[::1]:x", "the port"},
      {"redis://[::1]:", "the port"},
      {"redis://[::1", "']' is missing"},
      {"redis://[::1]6379", "']'"},
      {"redis://::1", "brackets"},
      {"redis://2001:db8::1:6379", "brackets"},
      {"::1", "brackets"},
      {"redis://a/x", "the database"},
      {"redis://a/-1", "the database"},
      {"redis://a/1000001", "the database"},
      {"redis://a/1/2", "the database"},
      {"redis://a?db=x", "the database"},
      {"redis://a?db=", "the database"},
      {"redis://a?timeout=5", "the only parameters are db=N and durable=1"},
      {"unix:/s?database=5", "the only parameters are db=N and durable=1"},
      {"unix:/s?db=-1", "the database"},
      {"redis://@a", "credentials"},
      {"redis://user:@a", "the password is empty"},
      {"redis://us%er:p@a", "user name"},
      {"redis://u:p%@a", "password"},
      {"redis://u:p%4@a", "password"},
      {"redis://u:p%4x@a", "password"},
      {"redis://u:p% 4@a", "password"},
      {"redis://u:p%+4@a", "password"},
      {"redis://u:p%-4@a", "password"},
      {"unix:/run/%zz.sock", "path"},
      {"unix:run/redis.sock", "absolute"},
      {"unix:", "absolute"},
      {"unix://run/redis.sock", "absolute"},
      {"rediss://a", "TLS"},
      {"http://a", "must start with redis:// or unix:"},
      {"REDIS://a", "must start with redis:// or unix:"},
  };
  for (const auto& row : table) {
    const std::string text = complaint(row.uri);
    EXPECT_NE(text.find(row.part), std::string::npos) << row.uri << " gives: " << text;
  }
  EXPECT_NE(complaint("redis://a\0b"s).find("the host"), std::string::npos);
}

TEST(Endpoint, TakesAPathAsLongAsASocketsAddressHoldsAndNoLonger) {
  const std::string longest = "/" + std::string(106, 'x');
  expect_unix("unix:" + longest, {longest});
  EXPECT_NE(complaint("unix:" + longest + "x").find("path"), std::string::npos);
}

// The socket's address ends at the NUL: another socket than the one that was named.
TEST(Endpoint, RefusesAPathWithANulInIt) {
  EXPECT_NE(complaint("unix:/run/redis%00.sock").find("path"), std::string::npos);
  EXPECT_NE(complaint("unix:/run/redis\0.sock"s).find("path"), std::string::npos);
}

TEST(Endpoint, NeverShowsThePasswordInWhatItSaysIsWrong) {
  for (const char* uri :
       {"redis://u:s3cret@",    "redis://u:s3cret@a:x",   "redis://u:s3cret@a:0",
        "redis://u:s3cret@a/x", "redis://u:s3cret@a?x=1", "redis://u:s3cret@[::1",
        "redis://u:s3cret@::1", "redis://u:s3cret%@a",    "redis://u:%zzs3cret@a",
        "redis://u:s3cret/x@a", "redis://u:x/s3cret@a",   "redis://:s3cret/@a",
        "redis://u:s3cret@a b", "rediss://u:s3cret@a",    "http://u:s3cret@a",
        "u:s3cret@a:x",         "u:s3cret://@a",          "unix://u:s3cret@run/redis.sock",
        "unix:u:s3cret@/run",   "unix://u:s3cret@",       "unix://u:s3cret@/s?x=s3cret",
        "redis://u:s3cret",     "redis://a?s3cret"}) {
    const std::string text = complaint(uri);
    EXPECT_NE(text, "") << uri;
    EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
  }
}

TEST(Endpoint, HasANameForPeopleWithoutCredentialsOrDatabase) {
  EXPECT_EQ(endpoint("redis://lock:secret@10.0.0.1:6380/2").name(), "10.0.0.1:6380");
  EXPECT_EQ(endpoint("a").name(), "a:6379");
  EXPECT_EQ(endpoint("redis://u:p@[::1]").name(), "[::1]:6379");
  EXPECT_EQ(endpoint("unix://u:p@/run/redis.sock?db=2").name(), "unix:/run/redis.sock");
}

TEST(Endpoint, HasANameThatItCanBeMadeOfAgain) {
  for (const char* uri : {"10.0.0.1:6380", "a", "[::1]:7", "unix:/run/redis.sock"}) {
    const std::string name = endpoint(uri).name();
    EXPECT_EQ(endpoint(name).name(), name);
  }
}

TEST(Endpoint, IsMadeOfAnyKindOfString) {
  EXPECT_EQ(endpoint("a:1").name(), "a:1");
  EXPECT_EQ(endpoint(std::string("a:1")).name(), "a:1");
  EXPECT_EQ(endpoint(std::string_view("a:1x").substr(0, 3)).name(), "a:1");
  const endpoint none;
  EXPECT_EQ(none.host, "");
  EXPECT_EQ(none.port, 6379);
}

}  // namespace
}  // namespace redlock
