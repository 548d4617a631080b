// The wire format: how commands are written, and what replies mean. Pure functions over bytes.

#ifndef REDLOCK_LIB_IO_WIRE_H
#define REDLOCK_LIB_IO_WIRE_H

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/types.h"
#include "io/scripts.h"

struct redisReply;

namespace redlock::io {

// What a script is called with. The views must outlive the call that writes them.
struct script_call {
  script what = script::inspect;
  std::string_view key;
  std::string_view token = {};  // all but inspect and enroll
  core::milliseconds ttl{0};    // acquire, renew, refill; enroll: the largest that we may ask for
  std::string_view base = {};   // acquire, and release where there is a queue
  core::attempt_id attempt = 0;

  // The queue, and what else is to be said to it (lib/io/scripts/queue.lua). Empty: none.
  core::queueing queueing = core::queueing::none;
  std::string_view queue = {};     // its key; also probe's only one
  std::string_view channel = {};   // where we hear of our turn
  bool listens = false;            // … if we do
  std::string_view released = {};  // acquire: what may stand where the key has become ours to take
  core::milliseconds window{0};    // how long the first one has to come
};

// What a node answered. The text is valid until the reply is freed.
struct node_reply {
  redlock::answer answer = redlock::answer::error;
  std::string_view text = {};      // holder, or the server's error
  core::milliseconds key_left{0};  // refused; inspect's granted
  core::milliseconds max_ttl{0};   // enroll's granted: the largest of all clients
  bool queued = false;             // refused by the lead, since others come first
  std::uint32_t waiting = 0;       // from a queue: how many are before us, or wait
  core::nanoseconds shown{0};      // by the node's clock, since 1970, when it ran; 0: no script ran
};

// Appends a command in RESP, with lengths before every argument: any bytes may be in it.
void append_command(std::string& out, std::span<const std::string_view> arguments);
void append_command(std::string& out, std::initializer_list<std::string_view> arguments);

// Appends EVALSHA by this digest, or EVAL of the text if it is empty. The script sends the number
// back, so that a reply is known to belong to its command.
void append_call(std::string& out, const script_call& call, std::string_view digest,
                 std::uint64_t number);

// What the reply to a script means; nothing if it is no possible reply of that script under that
// number, so that the connection cannot be trusted any more (rule G5).
[[nodiscard]] std::optional<node_reply> read_reply(script what, core::queueing queue,
                                                   std::uint64_t number,
                                                   const redisReply& reply) noexcept;

// A message of a wake-up: whose turn it is, for which lock, and the token that was released for it
// to take (may be empty). The views are of the message.
struct turn {
  std::string_view base;
  std::string_view released;
  std::string_view key;
};
[[nodiscard]] std::optional<turn> read_turn(std::string_view message) noexcept;

// What an error of the server means, by its text; matched anywhere in it, since servers wrap the
// errors that commands give inside a script.
[[nodiscard]] redlock::answer classify_error(std::string_view error) noexcept;

// Whether the error says that the script is not in the server's cache.
[[nodiscard]] bool is_unknown_script(const redisReply& reply) noexcept;

[[nodiscard]] std::string_view text_of(const redisReply& reply) noexcept;

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_WIRE_H
