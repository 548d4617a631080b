// RESP out, meanings in.

#include "io/wire.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/lead.h"

namespace redlock::io {
namespace {

// A number as text, without allocation.
class digits {
 public:
  explicit digits(std::uint64_t n) noexcept
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), n).ptr) {}
  [[nodiscard]] std::string_view view() const noexcept {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

 private:
  std::array<char, 20> text_{};
  const char* end_;
};

void append_header(std::string& out, char kind, std::size_t n) {
  out += kind;
  out += digits(n).view();
  out += "\r\n";
}

// A stranger's key may live for ages; the core counts in nanoseconds.
constexpr std::uint64_t left_max = std::chrono::milliseconds(std::chrono::hours(24 * 365)).count();
// The year 2200, in microseconds: what any later clock says means nothing.
constexpr std::uint64_t shown_max = 7'258'118'400'000'000;

bool contains(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}

std::optional<std::uint64_t> number_in(std::string_view text) noexcept {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return n;
}

std::uint64_t life_of_place(const script_call& call) noexcept {
  if (call.queueing != core::queueing::join) return 0;
  const auto life = call.listens ? core::place_life_told : core::place_life_untold;
  return static_cast<std::uint64_t>(life.count());
}

std::string_view yes_of(script s) noexcept {
  switch (s) {
    case script::acquire:
      return "acquired";
    case script::renew:
      return "renewed";
    case script::refill:
      return "refilled";
    case script::release:
      return "deleted";
    case script::inspect:
      return "present";
    case script::enroll:
      return "enrolled";
    case script::probe:
      return "fair";
  }
  return {};
}

}  // namespace

void append_command(std::string& out, std::span<const std::string_view> arguments) {
  append_header(out, '*', arguments.size());
  for (const std::string_view argument : arguments) {
    append_header(out, '$', argument.size());
    out += argument;
    out += "\r\n";
  }
}

void append_command(std::string& out, std::initializer_list<std::string_view> arguments) {
  append_command(out, std::span(arguments.begin(), arguments.size()));
}

void append_call(std::string& out, const script_call& call, std::string_view digest,
                 std::uint64_t number) {
  const std::string_view verb = digest.empty() ? "EVAL" : "EVALSHA";
  const std::string_view body = digest.empty() ? text_of(call.what) : digest;
  const digits echo(number);
  const digits ttl(static_cast<std::uint64_t>(call.ttl.count()));
  const digits attempt(call.attempt);
  const digits window(static_cast<std::uint64_t>(call.window.count()));
  const std::string_view listens = call.listens ? "1" : "0";
  switch (call.what) {
    case script::acquire:
      if (call.queueing == core::queueing::none) {
        append_command(out, {verb, body, "1", call.key, echo.view(), call.token, ttl.view(),
                             call.base, attempt.view(), call.released});
      } else {
        append_command(out, {verb, body, "2", call.key, call.queue, echo.view(), call.token,
                             ttl.view(), call.base, attempt.view(), call.released, call.channel,
                             listens, digits(life_of_place(call)).view(), window.view()});
      }
      break;
    case script::renew:
    case script::refill:
      append_command(out, {verb, body, "1", call.key, echo.view(), call.token, ttl.view()});
      break;
    case script::release:
      if (call.queueing == core::queueing::none) {
        append_command(out, {verb, body, "1", call.key, echo.view(), call.token});
      } else {
        const std::string_view leaves = call.queueing == core::queueing::leave ? "1" : "0";
        append_command(out, {verb, body, "2", call.key, call.queue, echo.view(), call.token,
                             call.base, call.channel, leaves, window.view()});
      }
      break;
    case script::inspect:
      append_command(out, {verb, body, "1", call.key, echo.view()});
      break;
    case script::enroll:
      append_command(out,
                     {verb, body, "1", call.key, echo.view(), ttl.view(), digits(left_max).view()});
      break;
    case script::probe:
      append_command(out, {verb, body, "1", call.queue, echo.view()});
      break;
  }
}

std::optional<node_reply> read_reply(script what, core::queueing queue, std::uint64_t number,
                                     const redisReply& reply) noexcept {
  if (reply.type == REDIS_REPLY_ERROR) {
    return node_reply{.answer = classify_error(text_of(reply)), .text = text_of(reply)};
  }
  constexpr std::size_t fields_max = 6;
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements < 3 || reply.elements > fields_max)
    return {};
  std::array<std::string_view, fields_max> fields;
  for (std::size_t i = 0; i < reply.elements; ++i) {
    if (reply.element[i]->type != REDIS_REPLY_STRING) return {};
    fields[i] = text_of(*reply.element[i]);
  }
  if (number_in(fields[1]) != number) return {};

  const auto shown = number_in(fields[2]);
  if (!shown || *shown > shown_max) return {};

  node_reply read;
  read.shown = std::chrono::microseconds{static_cast<std::int64_t>(*shown)};
  read.text = fields[3];
  const bool takes = what == script::acquire || what == script::refill;
  const bool answers = what != script::enroll && what != script::probe;
  const bool queues = queue != core::queueing::none;
  std::size_t length = 3;
  bool waiting = queues && what == script::release;
  if (fields[0] == yes_of(what)) {
    read.answer = answer::granted;
    if (what == script::inspect) length = 5;
    if (what == script::enroll) length = 4;
  } else if ((fields[0] == "refused" && takes) || (fields[0] == "queued" && queues && takes)) {
    read.answer = answer::refused;
    read.queued = fields[0] == "queued";
    length = 5;
    waiting = queues;
  } else if (fields[0] == "absent" && !takes && answers) {
    read.answer = answer::absent;
  } else if (fields[0] == "foreign" && answers) {
    read.answer = answer::foreign;
    length = 4;
  } else {
    return {};
  }
  if (length == 5 || what == script::enroll) {
    const auto time = number_in(fields[length - 1]);
    if (!time) return {};
    const core::milliseconds ms{static_cast<std::int64_t>(std::min(*time, left_max))};
    (answers ? read.key_left : read.max_ttl) = ms;
  }
  if (waiting) {
    const auto count = number_in(fields[length]);
    if (!count) return {};
    read.waiting = static_cast<std::uint32_t>(std::min<std::uint64_t>(*count, 1'000'000));
    if (length == 3) read.text = {};
    ++length;
  }
  if (reply.elements != length) return {};
  if (read.queued && read.text.empty()) read.text = "others wait for it, and come first";
  return read;
}

std::optional<turn> read_turn(std::string_view message) noexcept {
  const std::size_t one = message.find(' ');
  const std::size_t two = one == message.npos ? one : message.find(' ', one + 1);
  if (two == message.npos) return {};
  const auto length = number_in(message.substr(one + 1, two - one - 1));
  const std::string_view rest = message.substr(two + 1);
  if (!length || *length > rest.size()) return {};
  return turn{.base = message.substr(0, one),
              .released = rest.substr(0, *length),
              .key = rest.substr(*length)};
}

answer classify_error(std::string_view error) noexcept {
  // Wrong or missing password, missing rights (also as a script meets them, in the words of servers
  // before and since 7.2), and servers that can never be a node of ours.
  static constexpr std::array<std::string_view, 17> denied{"NOPERM",
                                                           "NOAUTH",
                                                           "WRONGPASS",
                                                           "invalid password",
                                                           "without any password configured",
                                                           "no password is set",
                                                           "DENIED Redis",
                                                           "The user executing the script can't",
                                                           "ACL failure in script",
                                                           "MOVED ",
                                                           "CROSSSLOT",
                                                           "CLUSTERDOWN",
                                                           "not allowed in cluster mode",
                                                           "unknown command",
                                                           "Unknown Redis command",
                                                           "Unknown command called from script",
                                                           "DB index is out of range"};
  if (contains(error, "READONLY")) return answer::replica;
  for (const std::string_view part : denied) {
    if (contains(error, part)) return answer::denied;
  }
  return answer::error;
}

bool is_unknown_script(const redisReply& reply) noexcept {
  return reply.type == REDIS_REPLY_ERROR && text_of(reply).starts_with("NOSCRIPT");
}

std::string_view text_of(const redisReply& reply) noexcept {
  if (reply.str == nullptr) return {};
  return {reply.str, static_cast<std::size_t>(reply.len)};
}

}  // namespace redlock::io
