// Two commands.

#include "bench/contention/wake_one.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "bench/contention/bare_quorum.h"

namespace redlock::bench {
namespace {

constexpr std::string_view key = "wake_one";
constexpr std::string_view compare_and_delete =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

std::string command_of(std::initializer_list<std::string_view> words) {
  std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    bytes += "$" + std::to_string(word.size()) + "\r\n";
    bytes += word;
    bytes += "\r\n";
  }
  return bytes;
}

class waiter {
 public:
  waiter(const std::vector<std::uint16_t>& ports, std::size_t number, nanoseconds ttl,
         const std::string& digest)
      : nodes_(ports) {
    const std::string token = "waiter " + std::to_string(number);
    const auto px = std::chrono::duration_cast<std::chrono::milliseconds>(ttl).count();
    set_ = command_of({"SET", key, token, "NX", "PX", std::to_string(px)});
    delete_ = command_of({"EVALSHA", digest, "1", key, token});
  }

  [[nodiscard]] bool set() {
    nodes_.write(set_);
    return nodes_.majority_says("+OK");
  }
  void unset() { nodes_.write(delete_); }
  void await_all() { nodes_.await_all(); }

 private:
  bare_quorum nodes_;
  std::string set_;
  std::string delete_;
};

class wake_one final : public competitor {
 public:
  wake_one(std::vector<waiter> waiters, std::size_t first, const wake_queue& queue, arena& notes)
      : waiters_(std::move(waiters)), first_(first), queue_(queue), notes_(notes) {}

  // A node may see the SET before the delete that was written before it, on another connection.
  bool acquire(std::size_t thread) override {
    if (!queue_.wait(first_ + thread)) {
      waiters_[thread].await_all();  // else a delete could be lost with its connection
      return false;
    }
    while (!waiters_[thread].set()) {
      notes_.count_failure();
      waiters_[thread].unset();
    }
    return true;
  }

  void release(std::size_t thread) override {
    waiters_[thread].unset();
    queue_.pass_on();
  }

  void end() override {
    for (std::size_t i = 0; i < waiters_.size(); ++i) queue_.send_away(first_ + i);
  }

 private:
  std::vector<waiter> waiters_;
  const std::size_t first_;
  const wake_queue& queue_;
  arena& notes_;
};

}  // namespace

competitor_maker wake_one_competitors(const setting& s, live::masters& nodes,
                                      const wake_queue& queue, arena& notes) {
  std::string digest;
  std::vector<std::uint16_t> ports;
  for (const live::redis_server& node : nodes) {
    digest = node.command({"SCRIPT", "LOAD", std::string(compare_and_delete)}).text;
    ports.push_back(node.port());
  }
  return [s, digest, ports, &queue, &notes](std::size_t process) {
    std::vector<waiter> waiters;
    const std::size_t first = process * s.threads;
    for (std::size_t i = 0; i < s.threads; ++i)
      waiters.emplace_back(ports, first + i, s.ttl, digest);
    return std::make_unique<wake_one>(std::move(waiters), first, queue, notes);
  };
}

}  // namespace redlock::bench
