// masters: the independent servers that a lock_manager under test is given, and direct looks at
// what they hold.

#ifndef REDLOCK_LIVE_MASTERS_H
#define REDLOCK_LIVE_MASTERS_H

#include <chrono>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "redis_server.h"
#include "redlock/redlock.h"

namespace redlock::live {

// The key of a resource under the default prefix.
[[nodiscard]] std::string key_of(std::string_view resource);

// Looks ask only servers that answer: not those killed or stopped by the test.
class masters {
 public:
  explicit masters(std::size_t n, const server_options& each = {});

  explicit masters(const std::vector<server_options>& of);  // one of each

  redis_server& operator[](std::size_t i) { return servers_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return servers_.size(); }
  auto begin() { return servers_.begin(); }
  auto end() { return servers_.end(); }

  [[nodiscard]] std::vector<endpoint> endpoints() const;
  // These nodes, with time-outs that no loaded machine exceeds by chance.
  [[nodiscard]] redlock::options options() const;

  [[nodiscard]] std::string get(std::size_t i, const std::string& key) const;  // "" if none
  [[nodiscard]] std::chrono::milliseconds pttl(std::size_t i, const std::string& key) const;
  void set(std::size_t i, const std::string& key, const std::string& value,
           std::chrono::milliseconds ttl);
  void del(std::size_t i, const std::string& key);

  [[nodiscard]] std::size_t count(const std::string& key) const;  // nodes where there is one
  [[nodiscard]] std::size_t count(const std::string& key, std::string_view value) const;
  [[nodiscard]] std::size_t keys() const;  // on all nodes together, but for redlock-node

 private:
  std::deque<redis_server> servers_;
};

// The node by a user of its own, with these rights: {"~*", "&*", "+@all", "-info"}.
[[nodiscard]] endpoint as_user(redis_server& node, const std::vector<std::string>& rights);

// True once every node is up: from then on, rounds go to all of them.
[[nodiscard]] bool all_up(const lock_manager& locks);

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_MASTERS_H
