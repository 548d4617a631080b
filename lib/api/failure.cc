// The words for what went wrong.

#include "redlock/failure.h"

namespace redlock {
namespace {

const char* sentence(errc e) noexcept {
  switch (e) {
    case errc::held_by_other:
      return "held by other";
    case errc::no_quorum:
      return "no quorum of the nodes gave an answer";
    case errc::too_slow:
      return "granted too late to be of use";
    case errc::lost:
      return "the lease was lost";
    case errc::not_held:
      return "the lease is not held";
    case errc::cancelled:
      return "cancelled by the caller";
    case errc::shut_down:
      return "the lock_manager was closed";
    case errc::invalid_argument:
      return "invalid argument";
    case errc::would_deadlock:
      return "a blocking call on the thread of options::loop: use the asynchronous form";
    case errc::overloaded:
      return "a limit of this client is reached";
    case errc::bad_configuration:
      return "too many nodes are misconfigured";
  }
  return "unknown redlock error";
}

// Whether the votes of the last round are why it failed. A lease can end although its last round
// went well: by the clock, or by its manager's end.
bool decided_by_votes(errc e) noexcept {
  return e != errc::lost && e != errc::not_held && e != errc::shut_down;
}

class redlock_category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "redlock"; }
  [[nodiscard]] std::string message(int e) const override { return sentence(static_cast<errc>(e)); }
  [[nodiscard]] std::error_condition default_error_condition(int e) const noexcept override {
    switch (static_cast<errc>(e)) {
      case errc::held_by_other:
        return std::errc::device_or_resource_busy;
      case errc::no_quorum:
        return std::errc::host_unreachable;
      case errc::too_slow:
        return std::errc::timed_out;
      case errc::lost:
        return std::errc::owner_dead;
      case errc::not_held:
        return std::errc::operation_not_permitted;
      case errc::cancelled:
        return std::errc::operation_canceled;
      case errc::shut_down:
        return std::errc::connection_aborted;
      case errc::invalid_argument:
        return std::errc::invalid_argument;
      case errc::would_deadlock:
        return std::errc::resource_deadlock_would_occur;
      case errc::overloaded:
        return std::errc::resource_unavailable_try_again;
      case errc::bad_configuration:
        return std::errc::wrong_protocol_type;
    }
    return {e, *this};
  }
};

// Bytes that a terminal or a log must not see are written as \xNN.
void append_printable(std::string& out, std::string_view text) {
  static constexpr std::string_view digit = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += digit[byte >> 4U];
      out += digit[byte & 15U];
    }
  }
}

}  // namespace

const std::error_category& category() noexcept {
  static const redlock_category instance;
  return instance;
}

std::string_view name(errc e) noexcept {
  switch (e) {
    case errc::held_by_other:
      return "held_by_other";
    case errc::no_quorum:
      return "no_quorum";
    case errc::too_slow:
      return "too_slow";
    case errc::lost:
      return "lost";
    case errc::not_held:
      return "not_held";
    case errc::cancelled:
      return "cancelled";
    case errc::shut_down:
      return "shut_down";
    case errc::invalid_argument:
      return "invalid_argument";
    case errc::would_deadlock:
      return "would_deadlock";
    case errc::overloaded:
      return "overloaded";
    case errc::bad_configuration:
      return "bad_configuration";
  }
  return "unknown";
}

std::string_view name(answer a) noexcept {
  switch (a) {
    case answer::granted:
      return "granted";
    case answer::refused:
      return "refused";
    case answer::absent:
      return "absent";
    case answer::foreign:
      return "foreign";
    case answer::guarded:
      return "guarded";
    case answer::duplicate:
      return "duplicate";
    case answer::replica:
      return "replica";
    case answer::denied:
      return "denied";
    case answer::error:
      return "error";
    case answer::timed_out:
      return "timed_out";
    case answer::unreachable:
      return "unreachable";
    case answer::unsent:
      return "unsent";
  }
  return "unknown";
}

failure::failure(errc code, redlock::votes votes, std::vector<node_answer> nodes,
                 std::string detail) noexcept
    : code_(code), votes_(votes), nodes_(std::move(nodes)), detail_(std::move(detail)) {}

std::string failure::message() const {
  std::string text = sentence(code_);
  if (!detail_.empty()) {
    text += ": ";
    append_printable(text, detail_);
  }
  if (votes_.nodes > 0 && decided_by_votes(code_)) {
    // Neither "granted" nor "released": the same failure ends rounds of every kind.
    text += ": " + std::to_string(votes_.granted) + " of " + std::to_string(votes_.nodes) +
            " nodes said yes, " + std::to_string(votes_.quorum) + " needed";
  }
  for (const node_answer& n : nodes_) {
    if (n.answer == answer::granted) continue;
    text += "; ";
    append_printable(text, n.node);
    text += ' ';
    text += redlock::name(n.answer);
    if (n.text.empty()) continue;
    text += n.answer == answer::refused ? " (held by " : " (";
    append_printable(text, n.text);
    text += ')';
  }
  return text;
}

lock_error::lock_error(failure why)
    : std::system_error(make_error_code(why.code())), why_(std::move(why)), text_(why_.message()) {}

// std::system_error would add the code's own text once more.
const char* lock_error::what() const noexcept { return text_.c_str(); }

}  // namespace redlock
