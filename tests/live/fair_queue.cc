#include "fair_queue.h"

#include <algorithm>

namespace redlock::live {

std::vector<std::string> places(masters& nodes) {
  std::vector<std::string> all;
  for (const redis_server& node : nodes) {
    if (!node.answers()) continue;
    for (const reply& place : node.command({"ZRANGE", queue_key, "0", "-1"}).items) {
      if (!place.text.starts_with('@')) all.push_back(place.text);  // the others are deadlines
    }
  }
  return all;
}

bool wait_for_places(masters& nodes, std::size_t n, bool told) {
  return eventually([&] {
    const std::vector<std::string> all = places(nodes);
    return all.size() == n && (!told || std::none_of(all.begin(), all.end(), [](const auto& place) {
             return place.ends_with(' ');
           }));
  });
}

std::size_t lead_of(masters& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].answers() && nodes[i].command({"EXISTS", queue_key}).number == 1) return i;
  }
  ADD_FAILURE() << "nobody waits";
  return 0;
}

long long calls(redis_server& node, const std::string& command) {
  const std::string stats = node.command({"INFO", "commandstats"}).text;
  const std::string word = "cmdstat_" + command + ":calls=";
  const std::size_t at = stats.find(word);
  return at == std::string::npos ? 0 : std::stoll(stats.substr(at + word.size()));
}

std::size_t wakeup_connections(masters& nodes) {
  std::size_t sum = 0;
  for (const redis_server& node : nodes) {
    if (!node.answers()) continue;
    const std::string list = node.command({"CLIENT", "LIST", "TYPE", "pubsub"}).text;
    sum += static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n'));
  }
  return sum;
}

bool crowd::join(const options& o, const lock_options& how) {
  return start(o, how) && wait_for_places(nodes_, acquires_.size(), o.wakeups);
}

bool crowd::start(const options& o, const lock_options& how) {
  lock_manager& locks = managers_.emplace_back(o);
  if (!all_up(locks)) return false;  // else it might choose another lead
  acquires_.emplace_back(locks.acquire_async("r", how));
  return true;
}

// Whoever else had it would keep it.
bool crowd::hears_of(std::string_view error) {
  return eventually([&] {
    const std::vector<node_status> nodes = managers_.front().nodes();
    return std::ranges::any_of(
        nodes, [&](const node_status& n) { return n.last_error.starts_with(error); });
  });
}

testing::AssertionResult crowd::is_served_in_order() {
  for (std::size_t i = 0; i < acquires_.size(); ++i) {
    result<lease> held = acquires_[i].take();
    if (!held) return succeeded(held) << " (number " << i << ")";
    if (const auto released = held->release(); !released) return succeeded(released);
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult crowd::is_served() {
  std::vector<bool> done(acquires_.size());
  for (std::size_t left = done.size(); left > 0; --left) {
    std::size_t next = 0;
    const bool found = eventually([&] {
      for (next = 0; next < done.size(); ++next) {
        if (!done[next] && acquires_[next].ended()) return true;
      }
      return false;
    });
    if (!found) return testing::AssertionFailure() << left << " wait in vain";
    done[next] = true;
    const result<lease> held = acquires_[next].take();
    if (!held) return succeeded(held) << " (number " << next << ")";
  }  // who let go of it
  return testing::AssertionSuccess();
}

}  // namespace redlock::live
