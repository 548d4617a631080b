// node: the connection to one Redis master, with all that it takes to have one, lose one and get a
// new one; and the commands on their way through it.
//
//      start()          address known        connected            all steps answered
//   idle ────► resolving ──────► connecting ────────► setting_up ────────────────► up
//                  ▲                 │ failed             │ failed, refused        │ broken, hung,
//                  │                 ▼                    ▼                        │ out of step
//                  └── pause over ─ resting ◄──────────────────────────────────────┘
//
// Every connection, the first and each later one, goes through the same steps (AUTH, SELECT, CLIENT
// SETNAME, INFO, SCRIPT LOAD, enrolment), which end with a look at who it is (D1, D2, D3). Commands
// queued in one turn of the loop leave in one write; while the socket takes no more, they stay
// queued, and can still be taken back. Replies come in the order of the commands, and each repeats
// its command's number. Nothing here decides anything about locks.

#ifndef REDLOCK_LIB_IO_NODE_H
#define REDLOCK_LIB_IO_NODE_H

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "io/health.h"
#include "io/identity.h"
#include "io/listener.h"
#include "io/reader.h"
#include "io/ring.h"
#include "io/schedule.h"
#include "io/sink.h"
#include "io/socket.h"
#include "redlock/options.h"
#include "redlock/status.h"

struct redisReply;
struct uv_poll_s;

namespace redlock::io {

class driver;
struct notice;

// Lives on the loop thread.
class node final : public timer {
 public:
  node(driver& owner, core::node_id id, endpoint where);
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  ~node();

  void start(core::time_point now) noexcept;

  // Closes the connection for good. Commands not yet answered are settled.
  void stop(core::time_point now) noexcept;

  // Queues a command for the end of this turn. REQUIRES: up, or fresh.
  void enqueue(sink& from, script what, const core::command& c);

  // Whether it is still a master, and the one it was, told by INFO where that is allowed (D2, D3).
  void look_at_role() noexcept;

  // Writes what is queued, in one write.
  void flush(core::time_point now) noexcept;

  [[nodiscard]] bool is_up() const noexcept { return state_ == state::up; }
  // The first set-up has not ended yet, well or badly: commands wait for its end.
  [[nodiscard]] bool is_fresh() const noexcept { return fresh_; }
  // Why it takes no commands while it is neither up nor fresh: unreachable, or a reason that lasts.
  [[nodiscard]] redlock::answer absence() const noexcept { return absence_; }

  // Who it was when a set-up last ended, or came so far (D1). Empty: it never said.
  [[nodiscard]] const std::string& run_id() const noexcept { return self_.run_id; }

  // A node before it in the list turns out to be the same server.
  void become_duplicate_of(const node& first, core::time_point now) noexcept;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& last_error() const noexcept { return last_error_; }
  [[nodiscard]] notice status() const;
  void publish() const;

  // The queues and the wake-ups of those who wait.
  [[nodiscard]] bool can_lead() const noexcept { return is_up() && !denies_queues_ && !silent_; }
  [[nodiscard]] bool is_told() const noexcept { return listener_.is_listening(); }
  // How all clients call the server, when they choose who leads.
  [[nodiscard]] const std::string& identity_of_server() const noexcept {
    return self_.run_id.empty() ? name_ : self_.run_id;
  }
  void listen(core::time_point now) noexcept;

  // Whether its votes count.
  [[nodiscard]] health& trust() noexcept { return health_; }
  [[nodiscard]] const health& trust() const noexcept { return health_; }

 private:
  enum class state : std::uint8_t { idle, resolving, connecting, setting_up, up, resting };
  struct queued {
    sink* from = nullptr;  // null: not a script, but a look at its role, for the node itself
    script what = script::inspect;
    core::command command;
  };
  struct sent {
    queued q;
    std::uint64_t number = 0;
    core::time_point at{};
  };
  struct poll_closer {
    void operator()(uv_poll_s* handle) const noexcept;
  };

  // Getting a connection (node_connect.cc).
  void connect(core::time_point now) noexcept;
  void look_around(bool for_addresses) noexcept;
  void try_next_address(core::time_point now) noexcept;
  [[nodiscard]] bool poll(int events) noexcept;
  void on_connected(core::time_point now) noexcept;

  // Setting it up (node_setup.cc).
  void write_setup(core::time_point now);
  void on_setup_reply(const redisReply& reply, core::time_point now) noexcept;
  [[nodiscard]] bool read_enrolment(const redisReply& reply, core::time_point now) noexcept;
  void check_queues(const redisReply& reply) noexcept;
  void check_durable(const redisReply& reply) noexcept;
  [[nodiscard]] bool suits(core::time_point now) noexcept;
  [[nodiscard]] bool admit(core::time_point now) noexcept;
  [[nodiscard]] bool take_over(core::time_point now) noexcept;
  void come_up(core::time_point now) noexcept;

  // Losing it (node_connect.cc).
  void fail(std::string why, redlock::answer absence, core::time_point now) noexcept;
  void disconnect() noexcept;
  void rest(std::string why, redlock::answer absence, core::time_point now) noexcept;
  void watch_silence(core::time_point now) noexcept;
  void settle_all(core::time_point now) noexcept;
  void settle_queued(core::time_point now) noexcept;
  void on_time(core::time_point now) noexcept override;

  // Using it (node.cc).
  void on_poll(int status, int events) noexcept;
  void on_readable(core::time_point now) noexcept;
  void on_reply(const redisReply& reply, core::time_point now) noexcept;
  void ask_again(const queued& q, bool by_text, core::time_point now) noexcept;
  void on_role(const redisReply& reply, core::time_point now) noexcept;
  static void settle(const queued& q, const node_reply& r, core::time_point now) noexcept;
  void write(core::time_point now) noexcept;
  void append(const queued& q, bool by_text, core::time_point now) noexcept;
  [[nodiscard]] bool watch(int events) noexcept;

  driver& driver_;
  const core::node_id id_;
  const endpoint where_;
  const std::string name_;

  state state_ = state::idle;
  bool fresh_ = true;
  redlock::answer absence_ = redlock::answer::unreachable;
  std::string last_error_;
  identity self_;
  health health_;
  listener listener_;

  redlock::credentials who_;  // of this connection
  std::vector<address> addresses_;
  std::size_t next_address_ = 0;
  bool looking_up_ = false;
  std::uint64_t generation_ = 0;  // of connections: events of an older one are stale
  std::uint32_t failures_ = 0;    // in a row
  core::time_point deadline_{};   // of connecting and setting up

  stream stream_;
  std::unique_ptr<uv_poll_s, poll_closer> poll_;
  int watched_ = 0;
  std::unique_ptr<reader> reader_;

  std::size_t steps_done_ = 0;
  core::time_point setup_sent_{};
  node_reply enrolled_;  // what the enrolment of this set-up answered, and when
  core::time_point enrolled_at_{};
  bool durable_ = false;  // as declared, unless the server says otherwise
  std::array<std::string, scripts.size()> digests_;  // empty: the node did not load it

  ring<queued> queue_;
  ring<sent> pending_;
  std::string out_;  // to be written; the socket has taken the first `taken_` bytes of it
  std::size_t taken_ = 0;
  bool blocked_ = false;  // the socket takes no more for now
  std::uint64_t last_number_ = 0;
  core::time_point progress_{};  // the last byte received, or the first command to wait for one

  std::uint64_t connects_ = 0;
  core::nanoseconds latency_{0};
  bool denies_queues_ = false;  // this user may have none there
  bool silent_ = false;         // for a node time-out, with commands pending
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_NODE_H
