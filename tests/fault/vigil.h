// vigil: watches, while the faults come and go, for what no client may do under any of them.
//
//   - hang: a call that goes on past the time by which it must have ended;
//   - crash, or end before it is told to;
//   - leak memory, descriptors or threads, or spin;
//   - leave a key behind without a time to live, or with more of it than was asked for.

#ifndef REDLOCK_FAULT_VIGIL_H
#define REDLOCK_FAULT_VIGIL_H

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ground.h"
#include "vitals.h"

namespace redlock::fault {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool judges_memory = false;  // a sanitizer keeps what was freed
#else
inline constexpr bool judges_memory = true;
#endif

// Far beyond what a slow machine does, and soon exceeded by what is wrong.
struct tolerance {
  std::chrono::milliseconds late{15'000};  // after the time by which a call must have ended
  std::int64_t memory_kb = 16'384;         // more than when it had warmed up
  std::int64_t descriptors = 64;           // five connections, and what a loop needs
  std::int64_t threads = 16;
  int busy = 50;  // per cent of a processor
  std::chrono::milliseconds warm_after{3'000};
};

// Tells each violation once, when it is found. Thread safety: as of the ground.
class vigil {
 public:
  vigil(ground& where, std::chrono::milliseconds max_ttl, tolerance most = {});

  // One look at everything. Nodes and clients in trouble of our own making are not looked at.
  void look(const std::function<bool(std::size_t)>& node_is_struck,
            const std::function<bool(std::size_t)>& client_is_struck);
  // After all clients have ended: sees the last keys go.
  void see_keys_go();
  void tell(const std::string& violation);

  [[nodiscard]] std::size_t violations() const noexcept { return told_.size(); }
  [[nodiscard]] const vitals& worst() const noexcept { return worst_; }  // growth, for memory
  [[nodiscard]] int busiest() const noexcept { return busiest_; }        // per cent of a processor

 private:
  struct life {  // of the process that a client is now
    pid_t pid = -1;
    clock::time_point begin;
    std::int64_t memory_kb = 0;  // once it had warmed up; 0 before
  };

  void look_at(client& one);
  void judge(client& one, const vitals& now);
  void look_at_keys(std::size_t node);

  ground& ground_;
  const std::chrono::milliseconds max_ttl_;
  const tolerance most_;
  std::array<life, clients_count> lives_;
  std::set<std::string> told_;
  vitals worst_;
  int busiest_ = 0;
};

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_VIGIL_H
