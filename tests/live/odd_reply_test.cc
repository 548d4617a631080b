// Replies to scripts that nobody thought of: none is a vote, whatever was asked.
//
// Two nodes, so that both must say yes: a master that does, and a stand-in.

#include "live.h"
#include "stand_in.h"

namespace redlock::live {
namespace {

constexpr const char* errors[]{
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
    "EXECABORT Transaction discarded because of previous errors.",
    "NOREPLICAS Not enough good replicas to write.",
    "TRYAGAIN Multiple keys request during rehashing of slot",
    "LOADING Redis is loading the dataset in memory",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "MISCONF Redis is configured to save RDB snapshots",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "NOTBUSY No scripts in execution right now.",
    "UNKILLABLE Sorry the script already executed write commands",
    "BUSYKEY Target key name already exists.",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "ASK 3999 127.0.0.1:6381",
    "INPROG Failover already in progress",
    "NOGOODSLAVE No suitable replica to promote",
    "NOQUORUM no quorum of sentinels",
    "ERR Error running script (call to f_0): @user_script:1: user_script:1: oops",
    "ERR value is not an integer or out of range",
    "granted",
    "acquired 1",
    "X",
    "",
};

// Not the error that the protocol knows, and no reply of any script of ours.
constexpr const char* no_replies[]{
    "+acquired\r\n",
    "+OK\r\n",
    ":1\r\n",
    "$-1\r\n",
    "$8\r\nacquired\r\n",
    "*-1\r\n",
    "*0\r\n",
    "*1\r\n$8\r\nacquired\r\n",
    "*2\r\n$7\r\nrenewed\r\n:1\r\n",
    "*2\r\n$7\r\nrenewed\r\n$3\r\n999\r\n",
    "*2\r\n*1\r\n:1\r\n:1\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
};

class an_odd : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(all_up(locks_)); }

  [[nodiscard]] options both() {
    options o = nodes_.options();
    o.nodes.emplace_back(odd_.uri());
    return o;
  }

  // A token that the master has.
  std::string token_on_the_master(std::string_view resource) {
    result<lease> held = one_.acquire(resource, {.ttl = 20s});
    EXPECT_TRUE(succeeded(held));
    return held ? held->detach().value() : std::string();
  }

  // It failed for want of the other one's vote.
  template <class T>
  static void expect_no_vote(const result<T>& r, answer other) {
    ASSERT_TRUE(failed_with(errc::no_quorum, r));
    EXPECT_EQ(count(r.error(), other), 1U) << r.error().message();
  }

  masters nodes_{1};
  stand_in odd_;
  lock_manager one_{nodes_.options()};
  lock_manager locks_{both()};
};

TEST_F(an_odd, error_is_no_vote_for_an_acquire_and_ends_no_connection) {
  for (const char* error : errors) {
    SCOPED_TRACE(error);
    odd_.answer_with("-" + std::string(error) + "\r\n");
    const result<lease> refused = locks_.acquire("r", {.ttl = 5s});
    expect_no_vote(refused, answer::error);
    EXPECT_NE(refused.error().message().find(error), std::string::npos);
    ASSERT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
  }
  EXPECT_EQ(locks_.nodes()[1].connects, 1U);
}

TEST_F(an_odd, error_is_no_vote_for_a_renewal_and_ends_no_connection) {
  for (const char* error : errors) {
    SCOPED_TRACE(error);
    odd_.answer_with("-" + std::string(error) + "\r\n");
    const std::string token = token_on_the_master("r");
    expect_no_vote(locks_.adopt("r", token, {.ttl = 5s}), answer::error);
    EXPECT_EQ(nodes_.get(0, key_of("r")), token);
    EXPECT_TRUE(succeeded(one_.release("r", token)));
  }
  EXPECT_EQ(locks_.nodes()[1].connects, 1U);
}

TEST_F(an_odd, error_confirms_no_release_and_ends_no_connection) {
  for (const char* error : errors) {
    SCOPED_TRACE(error);
    odd_.answer_with("-" + std::string(error) + "\r\n");
    expect_no_vote(locks_.release("r", token_on_the_master("r")), answer::error);
    ASSERT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
  }
  EXPECT_EQ(locks_.nodes()[1].connects, 1U);
}

TEST_F(an_odd, type_of_reply_is_no_vote_and_ends_the_connection) {
  std::uint64_t connections = 1;
  for (const char* reply : no_replies) {
    SCOPED_TRACE(reply);
    odd_.answer_with(reply);
    const std::string token = token_on_the_master("r");
    expect_no_vote(locks_.adopt("r", token, {.ttl = 5s}), answer::unreachable);
    EXPECT_TRUE(succeeded(one_.release("r", token)));
    ++connections;
    ASSERT_TRUE(eventually([&] { return locks_.nodes()[1].connects == connections; }));
    ASSERT_TRUE(all_up(locks_));
  }
}

}  // namespace
}  // namespace redlock::live
