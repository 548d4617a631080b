#include "vigil.h"

#include <algorithm>
#include <iostream>

#include "live/eventually.h"

namespace redlock::fault {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto busy_free = 1s;  // for the start

}  // namespace

vigil::vigil(ground& where, milliseconds max_ttl, tolerance most)
    : ground_(where), max_ttl_(max_ttl), most_(most) {}

void vigil::tell(const std::string& violation) {
  if (told_.insert(violation).second) std::cout << "violation: " << violation << std::endl;
}

void vigil::look(const std::function<bool(std::size_t)>& node_is_struck,
                 const std::function<bool(std::size_t)>& client_is_struck) {
  for (std::size_t i = 0; i < ground_.clients.size(); ++i) {
    if (!client_is_struck(i)) look_at(ground_.clients[i]);
  }
  for (std::size_t i = 0; i < nodes_count; ++i) {
    if (!node_is_struck(i)) look_at_keys(i);
  }
}

void vigil::look_at(client& one) {
  const std::string name = "client " + std::to_string(one.number());
  if (one.ended()) {
    tell(name + " ended with " + std::to_string(one.wait()));
    return;
  }
  if (one.overdue() > most_.late) {
    tell(name + " hangs in " +
         std::string(fault::name(static_cast<call>(one.written().under_way.load()))));
  }
  if (const std::optional<vitals> now = vitals_of(one.pid())) judge(one, *now);
}

void vigil::judge(client& one, const vitals& now) {
  const std::string name = "client " + std::to_string(one.number());
  life& mine = lives_[one.number()];
  if (mine.pid != one.pid()) mine = {one.pid(), clock::now(), 0};
  const auto age = std::chrono::duration_cast<milliseconds>(clock::now() - mine.begin);
  if (age < most_.warm_after) return;
  if (mine.memory_kb == 0) mine.memory_kb = now.memory_kb;
  const std::int64_t growth = now.memory_kb - mine.memory_kb;
  const auto percent = static_cast<int>(now.cpu * 100 / age);
  worst_.memory_kb = std::max(worst_.memory_kb, growth);
  worst_.descriptors = std::max(worst_.descriptors, now.descriptors);
  worst_.threads = std::max(worst_.threads, now.threads);
  busiest_ = std::max(busiest_, percent);
  if (judges_memory && growth > most_.memory_kb) tell(name + " leaks memory");
  if (now.descriptors > most_.descriptors) tell(name + " leaks descriptors");
  if (now.threads > most_.threads) tell(name + " leaks threads");
  if (now.cpu > age * most_.busy / 100 + busy_free) tell(name + " spins");
}

void vigil::look_at_keys(std::size_t node) {
  const live::redis_server& server = ground_.nodes[node];
  for (const live::reply& key : server.command({"KEYS", live::key_of("*")}).items) {
    const milliseconds left{server.command({"PTTL", key.text}).number};
    const std::string name = "node " + std::to_string(node) + " has a key ";
    if (left == -1ms) tell(name + "without a time to live: " + key.text);
    if (left > max_ttl_ + ground_.past[node].set_back) {
      tell(name + "with too long a time to live: " + key.text);
    }
  }
}

void vigil::see_keys_go() {
  for (std::size_t i = 0; i < nodes_count; ++i) {
    const bool gone = live::eventually(
        [&] {
          return ground_.nodes[i].command({"KEYS", live::key_of("*")}).items.empty();
        },
        max_ttl_ + ground_.past[i].set_back + live::patience);
    if (!gone) tell("node " + std::to_string(i) + " has keys that nobody holds");
  }
}

}  // namespace redlock::fault
