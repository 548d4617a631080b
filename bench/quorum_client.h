// quorum_client: the least that a lock on a majority can do: sends a command to all nodes, is done
// at the q-th reply, and sends the next one at once. No deadlines, no tokens drawn, no rollback,
// one thread. How the bytes travel is up to what derives from it.

#ifndef REDLOCK_BENCH_QUORUM_CLIENT_H
#define REDLOCK_BENCH_QUORUM_CLIENT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/commands.h"
#include "bench/contestant.h"

namespace redlock::bench {

class quorum_client : public contestant {
 public:
  quorum_client(live::masters& nodes, std::size_t quorum, std::string_view name);
  void run(std::size_t pairs, std::size_t in_flight, std::vector<sample>& out) final;

 protected:
  // Whom a reply is for: which of those in flight, and which of its operations.
  struct tag {
    std::uint32_t slot = 0;
    std::uint32_t operation = 0;
  };

  // Sends it with the others of this turn. Its reply comes to on_reply().
  virtual void queue(std::size_t node, std::string_view bytes, tag whose) = 0;
  // Writes what is queued, and waits for at least one event.
  virtual void turn() = 0;

  void on_reply(tag whose, bool yes);
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }

 private:
  struct slot {
    std::string key;
    std::uint32_t operation = 0;
    std::size_t yes = 0;
    bool releasing = false;
    std::uint64_t number = 0;
    stopwatch::time_point start{};
    nanoseconds acquired{0};
  };
  void acquire(std::uint32_t which);
  void send(std::uint32_t which);

  const std::size_t nodes_;
  const std::size_t quorum_;
  const std::string name_;
  commands commands_;
  std::vector<slot> slots_;
  std::uint64_t last_number_ = 0;
  std::string text_;

  std::size_t to_start_ = 0;
  std::size_t under_way_ = 0;
  std::vector<sample>* out_ = nullptr;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_QUORUM_CLIENT_H
