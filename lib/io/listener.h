// listener: a second connection to one master, on which wake-ups come (RESP2 lets a connection that
// listens do nothing else). Made once somebody waits in a queue, to the address that the node has
// found. What it brings are hints: while it is not there, waiters ask.
//
//      start()               connected           subscribed
//   off ────► connecting ───────────► greeting ───────────► listening
//    ▲              ▲                     │ failed, broken, silent    │
//    │ stop()       └──── pause over ── resting ◄─────────────────────┘
//    └── also when it is refused: until the node itself connects again

#ifndef REDLOCK_LIB_IO_LISTENER_H
#define REDLOCK_LIB_IO_LISTENER_H

#include <memory>
#include <string>

#include "io/reader.h"
#include "io/schedule.h"
#include "io/socket.h"
#include "redlock/options.h"

struct redisReply;
struct uv_poll_s;

namespace redlock::io {

class driver;

// Lives on the loop thread, owned by its node.
class listener final : public timer {
 public:
  listener(driver& where, core::node_id of) noexcept : driver_(where), node_(of) {}
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener();

  // No-op if it is on.
  void start(const address& where, const credentials& who, core::time_point now) noexcept;
  void stop() noexcept;

  [[nodiscard]] bool is_listening() const noexcept { return state_ == state::listening; }
  // Why it is not; empty if it is, or nothing has gone wrong yet.
  [[nodiscard]] const std::string& last_error() const noexcept { return last_error_; }

 private:
  enum class state : std::uint8_t { off, connecting, greeting, listening, resting };
  struct poll_closer {
    void operator()(uv_poll_s* handle) const noexcept;
  };

  void connect(core::time_point now) noexcept;
  void on_poll(int status) noexcept;
  void greet(core::time_point now);
  void read(core::time_point now) noexcept;
  void on_reply(const redisReply& reply, core::time_point now) noexcept;
  void on_message(const redisReply& reply, core::time_point now) noexcept;
  void ping(core::time_point now) noexcept;
  void rest(std::string why, bool for_good, core::time_point now) noexcept;
  void disconnect() noexcept;
  [[nodiscard]] bool send(std::string_view bytes) noexcept;
  [[nodiscard]] bool watch(int events) noexcept;
  void on_time(core::time_point now) noexcept override;

  driver& driver_;
  const core::node_id node_;
  state state_ = state::off;
  address where_;
  credentials who_;
  std::string last_error_;
  std::uint32_t failures_ = 0;  // in a row
  std::uint64_t generation_ = 0;
  bool heard_ = false;  // anything, since it last asked

  stream stream_;
  std::unique_ptr<uv_poll_s, poll_closer> poll_;
  std::unique_ptr<reader> reader_;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_LISTENER_H
