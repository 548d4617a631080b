#include "masters.h"

#include <algorithm>

#include "eventually.h"

namespace redlock::live {

using std::chrono::milliseconds;

std::string key_of(std::string_view resource) { return "redlock:" + std::string(resource); }

masters::masters(std::size_t n, const server_options& each) {
  for (std::size_t i = 0; i < n; ++i) servers_.emplace_back(each);
}

masters::masters(const std::vector<server_options>& of) {
  for (const server_options& each : of) servers_.emplace_back(each);
}

std::vector<endpoint> masters::endpoints() const {
  std::vector<endpoint> nodes;
  for (const redis_server& server : servers_) nodes.emplace_back(server.uri());
  return nodes;
}

redlock::options masters::options() const {
  redlock::options o;
  o.nodes = endpoints();
  o.node_timeout = std::chrono::seconds{2};
  o.connect_timeout = std::chrono::seconds{10};
  o.hung_timeout = std::chrono::seconds{10};
  o.restart_guard = false;  // they have just been started
  return o;
}

std::string masters::get(std::size_t i, const std::string& key) const {
  return servers_[i].command({"GET", key}).text;
}

milliseconds masters::pttl(std::size_t i, const std::string& key) const {
  return milliseconds{servers_[i].command({"PTTL", key}).number};
}

void masters::set(std::size_t i, const std::string& key, const std::string& value,
                  milliseconds ttl) {
  servers_[i].command({"SET", key, value, "PX", std::to_string(ttl.count())});
}

void masters::del(std::size_t i, const std::string& key) { servers_[i].command({"DEL", key}); }

std::size_t masters::count(const std::string& key) const {
  return static_cast<std::size_t>(
      std::count_if(servers_.begin(), servers_.end(), [&](const redis_server& server) {
        return server.answers() && server.command({"EXISTS", key}).number == 1;
      }));
}

std::size_t masters::count(const std::string& key, std::string_view value) const {
  return static_cast<std::size_t>(
      std::count_if(servers_.begin(), servers_.end(), [&](const redis_server& server) {
        return server.answers() && server.command({"GET", key}).text == value;
      }));
}

std::size_t masters::keys() const {
  std::size_t sum = 0;
  for (const redis_server& server : servers_) {
    if (!server.answers()) continue;
    sum += static_cast<std::size_t>(server.command({"DBSIZE"}).number);
    sum -= static_cast<std::size_t>(server.command({"EXISTS", "redlock-node"}).number);
  }
  return sum;
}

endpoint as_user(redis_server& node, const std::vector<std::string>& rights) {
  std::vector<std::string> words{"ACL", "SETUSER", "app", "on", ">pw"};
  words.insert(words.end(), rights.begin(), rights.end());
  node.command(words);
  return {"redis://app:pw@" + node.name()};
}

bool all_up(const lock_manager& locks) {
  return eventually([&] {
    const std::vector<node_status> nodes = locks.nodes();
    return std::all_of(nodes.begin(), nodes.end(),
                       [](const node_status& n) { return n.state == node_state::up; });
  });
}

}  // namespace redlock::live
