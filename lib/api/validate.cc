// Every limit of options.h, in one place.

#include "api/validate.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "api/password_file.h"

namespace redlock::detail {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr nanoseconds shortest = milliseconds{1};
constexpr nanoseconds longest = hours{1};

// Beyond this, time points and durations could overflow when they are added.
constexpr nanoseconds ttl_longest = hours{24 * 365};

// Side keys of other purposes begin with these.
constexpr std::array<std::string_view, 4> reserved{
    "redlock-fence:", "redlock-queue:", "redlock-turn:", "redlock-node"};

failure wrong(std::string what) { return {errc::invalid_argument, std::move(what)}; }

// In the largest unit of which it is a whole number: "10 s", "9898 ms".
std::string shown(nanoseconds t) {
  struct unit {
    std::int64_t nanoseconds;
    const char* name;
  };
  for (const unit u : {unit{1'000'000'000, " s"}, unit{1'000'000, " ms"}, unit{1'000, " us"}}) {
    if (t.count() % u.nanoseconds == 0) return std::to_string(t.count() / u.nanoseconds) + u.name;
  }
  return std::to_string(t.count()) + " ns";
}

// 0.01 is "1 %".
std::string percent(double factor) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), factor * 100,
                                 std::chars_format::general, 6)
                       .ptr;
  return std::string(text.data(), end) + " %";
}

bool within(nanoseconds t, nanoseconds least, nanoseconds most) noexcept {
  return t >= least && t <= most;
}

std::string host_and_pid() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return std::string(host.data()) + ":" + std::to_string(::getpid());
}

// CLIENT SETNAME takes no spaces and no control characters.
std::string connection_name(std::string name) {
  for (char& c : name) {
    if (c <= ' ' || c > '~') c = '_';
  }
  return name;
}

bool is_reserved(std::string_view key) noexcept {
  for (const std::string_view r : reserved) {
    if (key.starts_with(r)) return true;
  }
  return false;
}

result<void> check_node(const endpoint& e, bool password_comes) {
  static constexpr std::string_view blanks(" \t\r\n\0", 5);
  if (e.unix_path.empty() && e.host.empty()) return wrong("a node has neither host nor path");
  if (e.host.find_first_of(blanks) != std::string::npos) {
    return wrong("the host of " + e.name() + " has white space in it");
  }
  if (!e.unix_path.empty() && e.unix_path[0] != '/') {
    return wrong("the path of a unix socket must be absolute");
  }
  if (e.unix_path.find('\0') != std::string::npos) {
    return wrong("the path of a unix socket has a zero byte in it");
  }
  if (e.unix_path.empty() && e.port == 0) return wrong("the port of " + e.name() + " is 0");
  if (e.unix_path.size() > unix_path_bytes_max) {
    return wrong("the path of a unix socket has more than 107 bytes");
  }
  if (!e.username.empty() && e.password.empty() && !password_comes) {
    return wrong("the node " + e.name() + " has a user name and no password");
  }
  if (e.database < 0) return wrong("the database of " + e.name() + " is negative");
  return {};
}

// Another database of the same server is the same server (rule D1).
result<void> check_distinct(const std::vector<endpoint>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const endpoint& e : nodes) names.push_back(e.name());
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return {};
  return wrong("options::nodes has " + *twice + " twice: every node needs a server of its own");
}

std::string too_short(const core::terms& t, nanoseconds validity) {
  const bool margin = t.stop_margin >= t.min_validity;
  return "lock_options::ttl of " + shown(t.ttl) + " leaves " +
         shown(std::max(validity, nanoseconds{0})) + " after the allowance for clock drift (" +
         percent(t.drift_factor) + " and 2 ms), not more than " +
         (margin ? shown(t.stop_margin) + " (stop_margin)"
                 : shown(t.min_validity) + " (min_validity)");
}

std::string no_room_to_renew(const core::terms& t, nanoseconds validity) {
  const nanoseconds room = validity - t.renew_every;  // for a stop_margin below it
  if (room <= nanoseconds{0}) {
    return "lock_options::ttl of " + shown(t.ttl) + " leaves no room for automatic renewal";
  }
  return "lock_options::stop_margin of " + shown(t.stop_margin) +
         " leaves no room for automatic renewal: with a ttl of " + shown(t.ttl) + ", at most " +
         shown(std::chrono::floor<milliseconds>(room - nanoseconds{1}));
}

std::string bad_interval(const core::terms& t, nanoseconds validity) {
  return "lock_options::renewal at " + shown(t.renew_every) +
         " is not from 1 ms to before the stop signal, at " + shown(validity - t.stop_margin) +
         " (ttl less drift and stop_margin)";
}

}  // namespace

result<io::settings> settings_of(const options& o) {
  if (o.nodes.empty() || o.nodes.size() > nodes_max) {
    return wrong("options::nodes has " + std::to_string(o.nodes.size()) + " nodes, not 1 to 31");
  }
  const bool password_comes = o.credentials || !o.password_file.empty();
  for (const endpoint& e : o.nodes) {
    if (auto ok = check_node(e, password_comes); !ok) return ok.error();
  }
  if (o.credentials && !o.password_file.empty()) {
    return wrong("options::credentials and options::password_file are both given");
  }
  if (auto ok = check_distinct(o.nodes); !ok) return ok.error();
  const std::size_t majority = o.nodes.size() / 2 + 1;
  if (o.quorum != 0 && (o.quorum < majority || o.quorum > o.nodes.size())) {
    return wrong("options::quorum is " + std::to_string(o.quorum) + ", not " +
                 std::to_string(majority) + " to " + std::to_string(o.nodes.size()) +
                 ": fewer than a majority would let two holders in");
  }
  if (!within(o.node_timeout, shortest, longest)) {
    return wrong("options::node_timeout is not 1 ms to 1 h");
  }
  if (!within(o.connect_timeout, shortest, longest)) {
    return wrong("options::connect_timeout is not 1 ms to 1 h");
  }
  if (!within(o.hung_timeout, shortest, longest)) {
    return wrong("options::hung_timeout is not 1 ms to 1 h");
  }
  if (!std::isfinite(o.drift_factor) || o.drift_factor < 0 || o.drift_factor > 0.5) {
    return wrong("options::drift_factor is not 0 to 0.5");
  }
  if (!within(o.max_ttl, shortest, ttl_longest)) {
    return wrong("options::max_ttl is not 1 ms to 365 days");
  }
  if (!within(o.max_clock_offset, shortest, longest)) {
    return wrong("options::max_clock_offset is not 1 ms to 1 h");
  }
  if (o.max_leases < 1 || o.max_leases > 10'000'000) {
    return wrong("options::max_leases is not 1 to 10,000,000");
  }
  if (o.client_name.size() > client_name_bytes_max) {
    return wrong("options::client_name has more than 256 bytes");
  }
  if (o.key_prefix.size() > resource_bytes_max) {
    return wrong("options::key_prefix has more than 4,096 bytes");
  }
  io::settings s;
  s.nodes = o.nodes;
  s.quorum = o.quorum != 0 ? o.quorum : majority;
  s.node_timeout = o.node_timeout;
  s.connect_timeout = o.connect_timeout;
  s.hung_timeout = o.hung_timeout;
  s.max_leases = o.max_leases;
  s.fairness = o.fairness;
  s.wakeups = o.wakeups;
  s.max_ttl = std::chrono::ceil<milliseconds>(o.max_ttl);
  s.guard = {.restarts = o.restart_guard,
             .clocks = o.clock_guard,
             .drift_factor = o.drift_factor,
             .max_clock_offset = o.max_clock_offset};
  s.loop = o.loop;
  s.credentials = o.credentials;
  if (!o.password_file.empty()) {
    s.credentials = [path = o.password_file](const endpoint& e) -> credentials {
      return {e.username, e.password.empty() ? read_password(path) : e.password};
    };
  }
  s.key_prefix = o.key_prefix;
  s.client_name = o.client_name.empty() ? host_and_pid() : o.client_name;
  s.connection_name = connection_name(s.client_name);
  return s;
}

result<core::terms> terms_of(const options& all, const lock_options& one) {
  if (one.ttl <= nanoseconds{0}) return wrong("lock_options::ttl is not above 0");
  // What goes over the wire counts (D6); the longest times have no milliseconds above them.
  if (one.ttl > all.max_ttl || std::chrono::ceil<milliseconds>(one.ttl) > all.max_ttl) {
    return wrong("lock_options::ttl is " + shown(one.ttl) + ", above options::max_ttl, " +
                 shown(all.max_ttl));
  }
  if (one.wait < nanoseconds{0}) return wrong("lock_options::wait is negative");
  if (!within(one.retry_delay, shortest, longest)) {
    return wrong("lock_options::retry_delay is not 1 ms to 1 h");
  }
  if (!within(one.retry_max, one.retry_delay, longest)) {
    return wrong("lock_options::retry_max is not retry_delay to 1 h");
  }
  if (!within(one.spin_interval, shortest, longest)) {
    return wrong("lock_options::spin_interval is not 1 ms to 1 h");
  }
  if (!within(one.spin_budget, nanoseconds{0}, longest)) {
    return wrong("lock_options::spin_budget is not 0 to 1 h");
  }
  if (!within(one.long_hold, nanoseconds{0}, longest)) {
    return wrong("lock_options::long_hold is not 0 to 1 h");
  }
  if (!within(one.short_hold, nanoseconds{0}, one.long_hold)) {
    return wrong("lock_options::short_hold is not 0 to long_hold");
  }
  if ((one.policy == retry_policy::custom) != (one.retry_pause != nullptr)) {
    return wrong("lock_options::retry_pause belongs to retry_policy::custom, and it to that");
  }
  if (one.min_validity < nanoseconds{0}) return wrong("lock_options::min_validity is negative");
  if (one.stop_margin < nanoseconds{0}) return wrong("lock_options::stop_margin is negative");

  core::terms t;
  t.nodes = all.nodes.size();
  t.quorum = all.quorum != 0 ? all.quorum : t.nodes / 2 + 1;
  t.node_timeout = all.node_timeout;
  t.connect_timeout = all.connect_timeout;
  t.max_ttl = std::chrono::ceil<milliseconds>(all.max_ttl);
  t.drift_factor = all.drift_factor;
  t.ttl = std::chrono::ceil<milliseconds>(one.ttl);  // C3
  t.wait = one.wait;
  t.max_attempts = one.max_attempts;
  t.retry = {.policy = one.policy,
             .delay = one.retry_delay,
             .max = one.retry_max,
             .spin_interval = one.spin_interval,
             .spin_budget = one.spin_budget,
             .spin_tries = one.spin_tries,
             .short_hold = one.short_hold,
             .long_hold = one.long_hold,
             .own = one.retry_pause,
             .context = one.retry_context};
  t.max_hold = one.max_hold;
  t.min_validity = one.min_validity;
  t.stop_margin = one.stop_margin;
  t.fair = all.fairness;

  const nanoseconds validity = t.ttl - t.drift(t.ttl);
  if (validity <= std::max(one.min_validity, one.stop_margin)) {
    return wrong(too_short(t, validity));
  }
  if (one.max_hold < nanoseconds{0} || (one.max_hold > nanoseconds{0} && one.max_hold < one.ttl)) {
    return wrong("lock_options::max_hold is neither 0 nor at least the ttl");
  }
  if (one.max_hold > ttl_longest) return wrong("lock_options::max_hold is above 365 days");
  if (!one.renewal.is_manual()) {
    const bool automatic = one.renewal.is_automatic();
    t.renew_every = automatic ? nanoseconds{t.ttl} / 3 : one.renewal.interval();
    if (t.renew_every < shortest || t.renew_every >= validity - one.stop_margin) {
      return wrong(automatic ? no_room_to_renew(t, validity) : bad_interval(t, validity));
    }
  }
  return t;
}

result<void> check_resource(std::string_view prefix, std::string_view resource) {
  if (resource.empty()) return wrong("the resource's name is empty");
  if (resource.size() > resource_bytes_max) {
    return wrong("the resource's name has " + std::to_string(resource.size()) +
                 " bytes, more than 4,096");
  }
  if (is_reserved(std::string(prefix) + std::string(resource))) {
    return wrong("the key, prefix and resource, begins with a name reserved for side keys");
  }
  return {};
}

}  // namespace redlock::detail
