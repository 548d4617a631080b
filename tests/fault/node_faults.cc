// What befalls a server.

#include <memory>
#include <string>
#include <thread>

#include "faults.h"
#include "live/eventually.h"

namespace redlock::fault {
namespace {

using live::redis_server;

// A setting that is changed, and changed back.
fault_kind setting(ground& where, std::string_view name, const std::string& which,
                   const std::string& bad, const std::string& good) {
  return {name, target::node, 2, 1000, [&where, which, bad, good](std::size_t i) {
            where.nodes[i].command({"CONFIG", "SET", which, bad});
            return [&where, which, good, i] {
              where.nodes[i].command({"CONFIG", "SET", which, good});
            };
          }};
}

// A command that does its harm at once.
fault_kind blow(ground& where, std::string_view name, const std::vector<std::string>& words) {
  return {name, target::node, 2, 0, [&where, words](std::size_t i) {
            where.nodes[i].command(words);
            return [] {};
          }};
}

bool keeps_data(std::size_t i) { return i >= durable_from; }

std::function<void()> kill_and_start_later(ground& where, std::size_t i) {
  where.nodes[i].kill();
  return [&where, i] {
    where.nodes[i].start();
    if (!keeps_data(i)) where.past[i].emptied = clock::now();
  };
}

std::function<void()> make_busy(redis_server& node) {
  auto endless = std::make_shared<std::jthread>([&node] {
    try {
      node.command({"EVAL", "while true do end", "0"});
    } catch (const std::exception&) {
      return;  // it was interrupted too rudely to say so
    }
  });
  return [&node, endless] {
    // Until the server calls it busy, the script cannot be killed.
    const bool ended = live::eventually([&] { return !node.command({"SCRIPT", "KILL"}).failed(); });
    if (!ended) node.kill();
    endless->join();
    if (!ended) node.start();
  };
}

std::function<void()> change_password(redis_server& node) {
  node.set_password("another");
  node.command({"CLIENT", "KILL", "TYPE", "normal"});
  return [&node] { node.set_password(""); };
}

std::function<void()> load(redis_server& node) {
  node.kill();
  node.start_loading();
  return [&node] {
    static_cast<void>(live::eventually([&] { return node.command({"PING"}).text == "PONG"; }));
  };
}

// Of a master that is not there, so it keeps what it has.
std::function<void()> make_replica(redis_server& node) {
  node.command({"REPLICAOF", "127.0.0.1", "1"});
  return [&node] { node.command({"REPLICAOF", "NO", "ONE"}); };
}

}  // namespace

std::vector<fault_kind> node_faults(ground& where) {
  const auto node = target::node;
  const auto later = [&where](std::size_t i) { return kill_and_start_later(where, i); };
  return {
      {"killed, restarted empty", node, 4, 300, later,
       [](std::size_t i) { return !keeps_data(i); }},
      {"killed, restarted with data", node, 2, 1000, later, keeps_data},
      {"loading", node, 1, 500, [&where](std::size_t i) { return load(where.nodes[i]); },
       keeps_data},
      {"stopped", node, 4, 1500,
       [&where](std::size_t i) {
         where.nodes[i].stop();
         return [&where, i] { where.nodes[i].cont(); };
       }},
      {"busy", node, 2, 1000, [&where](std::size_t i) { return make_busy(where.nodes[i]); }},
      {"password changed", node, 2, 1000,
       [&where](std::size_t i) { return change_password(where.nodes[i]); }},
      {"replica", node, 1, 1000, [&where](std::size_t i) { return make_replica(where.nodes[i]); }},
      setting(where, "read-only", "min-replicas-to-write", "1", "0"),
      setting(where, "out of memory", "maxmemory", "1", "0"),
      blow(where, "scripts flushed", {"SCRIPT", "FLUSH"}),
      blow(where, "connections killed", {"CLIENT", "KILL", "TYPE", "normal"}),
  };
}

}  // namespace redlock::fault
