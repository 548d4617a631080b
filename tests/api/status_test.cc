// status: the words for states, and who the holder of a token is.

#include "redlock/status.h"

#include <gtest/gtest.h>

namespace redlock {
namespace {

TEST(NodeState, HasANameForEach) {
  EXPECT_EQ(name(node_state::connecting), "connecting");
  EXPECT_EQ(name(node_state::up), "up");
  EXPECT_EQ(name(node_state::down), "down");
  EXPECT_EQ(name(node_state::denied), "denied");
  EXPECT_EQ(name(node_state::duplicate), "duplicate");
  EXPECT_EQ(name(node_state::replica), "replica");
  EXPECT_EQ(name(static_cast<node_state>(200)), "unknown");
}

std::string holder_of(const std::string& token) {
  holdings h;
  h.token = token;
  return std::string(h.holder());
}

TEST(Holdings, NameTheClientThatIsInTheToken) {
  EXPECT_EQ(holder_of("1f2e3d.1@web-7:811"), "web-7:811");
  EXPECT_EQ(holder_of("1f2e3d.1@me@home"), "me@home");
  EXPECT_EQ(holder_of("1f2e3d.1@"), "");
  EXPECT_EQ(holder_of("another's token"), "another's token");
  EXPECT_EQ(holder_of(""), "");
}

TEST(Holdings, AreHeldIfAQuorumCarriesAToken) {
  holdings h;
  EXPECT_FALSE(h.held());
  EXPECT_FALSE(h.known);
  h.token = "1f2e3d.1@me";
  EXPECT_TRUE(h.held());
}

}  // namespace
}  // namespace redlock
