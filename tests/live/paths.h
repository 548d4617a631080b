// paths: a proxy in front of each node.

#ifndef REDLOCK_LIVE_PATHS_H
#define REDLOCK_LIVE_PATHS_H

#include <cstddef>
#include <deque>

#include "masters.h"
#include "proxy.h"

namespace redlock::live {

class paths {
 public:
  explicit paths(masters& nodes) : options_(nodes.options()) {
    options_.nodes.clear();
    for (redis_server& node : nodes) {
      options_.nodes.emplace_back(proxies_.emplace_back(node.port()).uri());
    }
  }

  // As masters::options(), but through the proxies.
  [[nodiscard]] redlock::options options() const { return options_; }

  proxy& operator[](std::size_t i) { return proxies_[i]; }
  auto begin() { return proxies_.begin(); }
  auto end() { return proxies_.end(); }

 private:
  redlock::options options_;
  std::deque<proxy> proxies_;
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_PATHS_H
