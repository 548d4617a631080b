// lock_manager: the ways to make one. No node is there: nothing listens on port 1.

#include "redlock/lock_manager.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace redlock {
namespace {

using names = std::vector<std::string>;

names nodes_of(const lock_manager& m) {
  names list;
  for (const node_status& n : m.nodes()) list.push_back(n.node);
  return list;
}

const names one{"127.0.0.1:1"};
const names two{"127.0.0.1:1", "127.0.0.2:1"};
const names three{"127.0.0.1:1", "127.0.0.2:1", "127.0.0.3:1"};

TEST(LockManager, IsMadeOfAListOfStringsOfAnyLength) {
  EXPECT_EQ(nodes_of(lock_manager({"redis://127.0.0.1:1"})), one);
  EXPECT_EQ(nodes_of(lock_manager({"127.0.0.1:1", "127.0.0.2:1"})), two);
  EXPECT_EQ(nodes_of(lock_manager({"127.0.0.1:1", "127.0.0.2:1", "127.0.0.3:1"})), three);
  const lock_manager braces{"127.0.0.1:1", "127.0.0.2:1"};
  EXPECT_EQ(nodes_of(braces), two);
  const lock_manager single{"127.0.0.1:1"};
  EXPECT_EQ(nodes_of(single), one);
  const lock_manager doubled{{"127.0.0.1:1", "127.0.0.2:1"}};
  EXPECT_EQ(nodes_of(doubled), two);
}

TEST(LockManager, IsMadeOfAListOfOtherStringsAndEndpoints) {
  const std::string first = "127.0.0.1:1";
  const std::string_view second = "127.0.0.2:1";
  EXPECT_EQ(nodes_of(lock_manager({first, second, endpoint("127.0.0.3:1")})), three);
  EXPECT_EQ(nodes_of(lock_manager({first, std::string(second)})), two);
}

TEST(LockManager, IsMadeOfOptions) {
  const options two_nodes{.nodes = {"127.0.0.1:1", "127.0.0.2:1"}};
  EXPECT_EQ(nodes_of(lock_manager(two_nodes)), two);
  EXPECT_EQ(nodes_of(lock_manager(options{.nodes = {"127.0.0.1:1"}})), one);
  EXPECT_EQ(nodes_of(lock_manager(options{.nodes = {"127.0.0.1:1", "127.0.0.2:1"}})), two);
  EXPECT_EQ(nodes_of(lock_manager(options{.nodes = {"127.0.0.1:1"}, .quorum = 1})), one);
}

// With g++ 12 too, which takes {"a", "b"} for one endpoint made of two strings where it can.
TEST(LockManager, IsMadeOfOptionsThatAreNotNamed) {
  EXPECT_EQ(nodes_of(lock_manager({.nodes = {"127.0.0.1:1"}})), one);
  EXPECT_EQ(nodes_of(lock_manager({.nodes = {"127.0.0.1:1", "127.0.0.2:1"}})), two);
  EXPECT_EQ(nodes_of(lock_manager({.nodes = {"127.0.0.1:1", "127.0.0.2:1"}, .quorum = 2})), two);
  const lock_manager braces{{.nodes = {"127.0.0.1:1", "127.0.0.2:1"}}};
  EXPECT_EQ(nodes_of(braces), two);
  const auto owned = std::make_unique<lock_manager>(options{.nodes = {"127.0.0.1:1"}});
  EXPECT_EQ(nodes_of(*owned), one);
  struct has_one {
    lock_manager locks{{.nodes = {"127.0.0.1:1", "127.0.0.2:1"}}};
    lock_manager more{{"127.0.0.1:1", "127.0.0.2:1"}};
  };
  const has_one members;
  EXPECT_EQ(nodes_of(members.locks), two);
  EXPECT_EQ(nodes_of(members.more), two);
}

TEST(LockManager, IsNeitherCopiedNorMovedNorMadeByAccident) {
  static_assert(!std::is_copy_constructible_v<lock_manager>);
  static_assert(!std::is_move_constructible_v<lock_manager>);
  static_assert(!std::is_constructible_v<lock_manager, lock_manager&>);
  static_assert(!std::is_copy_assignable_v<lock_manager>);
  static_assert(!std::is_default_constructible_v<lock_manager>);
  static_assert(!std::is_convertible_v<options, lock_manager>);
  static_assert(!std::is_constructible_v<lock_manager, const char*>);
  static_assert(!std::is_constructible_v<lock_manager, std::string>);
}

template <class F>
void expect_refused(F make) {
  try {
    make();
    ADD_FAILURE() << "it was made";
  } catch (const lock_error& error) {
    EXPECT_EQ(error.why().code(), errc::invalid_argument);
  }
}

TEST(LockManager, IsRefusedWithoutNodesOrWithBadOnes) {
  expect_refused([] { const lock_manager m(options{}); });
  expect_refused([] { const lock_manager m(std::initializer_list<endpoint>{}); });
  expect_refused([] { const lock_manager m({"redis://127.0.0.1:x"}); });
  expect_refused([] { const lock_manager m(options{.nodes = {"127.0.0.1:1"}, .quorum = 2}); });
}

}  // namespace
}  // namespace redlock
