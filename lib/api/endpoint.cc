// Parsing of node URIs.

#include <charconv>
#include <optional>

#include "redlock/failure.h"
#include "redlock/options.h"

namespace redlock {
namespace {

// Never shows the URI itself: it may carry a password.
[[noreturn]] void reject(std::string_view what) {
  throw lock_error(failure(errc::invalid_argument, "node URI: " + std::string(what)));
}

// Takes what is before the separator off the front, if there is one.
std::optional<std::string_view> take_until(std::string_view& rest, char separator, bool last) {
  const std::size_t at = last ? rest.rfind(separator) : rest.find(separator);
  if (at == std::string_view::npos) return {};
  const std::string_view front = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  return front;
}

template <class Number>
Number number(std::string_view text, std::string_view what, Number min, Number max) {
  long long n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < min || n > max) {
    reject(std::string(what) + " is not a number from " + std::to_string(min) + " to " +
           std::to_string(max));
  }
  return static_cast<Number>(n);
}

std::string decode(std::string_view text, std::string_view what) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) {
      reject("'%' in the " + std::string(what) + " is not followed by two hexadecimal digits");
    }
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

void parse_credentials(endpoint& e, std::string_view& rest) {
  // From the last '@': people forget to encode the ones in passwords.
  const std::size_t path = rest.find('/');
  std::string_view authority = rest.substr(0, path);
  const std::size_t before = authority.size();
  const auto credentials = take_until(authority, '@', true);
  if (!credentials) return;
  rest.remove_prefix(before - authority.size());
  std::string_view password = *credentials;
  const auto user = take_until(password, ':', false);
  if (credentials->empty()) reject("credentials are written user:password@, :password@ or user@");
  if (!user) {  // the password comes from elsewhere
    e.username = decode(*credentials, "user name");
    return;
  }
  e.username = decode(*user, "user name");
  e.password = decode(password, "password");
  if (e.password.empty()) reject("the password is empty");
}

void parse_host(endpoint& e, std::string_view rest) {
  if (rest.starts_with('[')) {
    rest.remove_prefix(1);
    const auto host = take_until(rest, ']', false);
    if (!host) reject("']' is missing after the IPv6 address");
    e.host = *host;
    if (!rest.empty() && !rest.starts_with(':')) reject("only ':' and a port may follow ']'");
    if (!rest.empty()) e.port = number<std::uint16_t>(rest.substr(1), "the port", 1, 65535);
  } else if (auto host = take_until(rest, ':', false)) {
    if (rest.find(':') != std::string_view::npos) reject("an IPv6 address must stand in brackets");
    e.host = *host;
    e.port = number<std::uint16_t>(rest, "the port", 1, 65535);
  } else {
    e.host = rest;
  }
  if (e.host.empty()) reject("the host is missing");
  if (e.host.find_first_of(std::string_view(" \t\r\n\0", 5)) != std::string::npos) {
    reject("the host has white space in it");
  }
}

void parse_parameters(endpoint& e, std::string_view rest) {
  while (!rest.empty()) {
    std::string_view one = rest;
    if (const auto first = take_until(rest, '&', false)) {
      one = *first;
    } else {
      rest = {};
    }
    if (one.starts_with("db=")) {
      e.database = number(one.substr(3), "the database", 0, 1'000'000);
    } else if (one == "durable=1" || one == "durable=0") {
      e.durable = one.back() == '1';
    } else {
      reject("the only parameters are db=N and durable=1");
    }
  }
}

void parse_redis(endpoint& e, std::string_view rest) {
  parse_credentials(e, rest);
  if (const std::size_t at = rest.find('?'); at != std::string_view::npos) {
    parse_parameters(e, rest.substr(at + 1));
    rest = rest.substr(0, at);
  }
  if (const std::size_t at = rest.find('/'); at != std::string_view::npos) {
    const std::string_view database = rest.substr(at + 1);
    if (!database.empty()) e.database = number(database, "the database", 0, 1'000'000);
    rest = rest.substr(0, at);
  }
  parse_host(e, rest);
}

void parse_unix(endpoint& e, std::string_view rest) {
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    parse_credentials(e, rest);
  }
  if (const std::size_t at = rest.find('?'); at != std::string_view::npos) {
    parse_parameters(e, rest.substr(at + 1));
    rest = rest.substr(0, at);
  }
  e.unix_path = decode(rest, "path");
  if (!e.unix_path.starts_with('/')) reject("the path of a unix socket must be absolute");
  if (e.unix_path.size() > unix_path_bytes_max) {
    reject("the path of a unix socket has more than 107 bytes");
  }
  if (e.unix_path.find('\0') != std::string::npos) reject("the path has a zero byte in it");
}

}  // namespace

endpoint::endpoint(std::string_view uri) {
  if (uri.starts_with("redis://")) {
    parse_redis(*this, uri.substr(8));
  } else if (uri.starts_with("unix:")) {
    parse_unix(*this, uri.substr(5));
  } else if (uri.starts_with("rediss://")) {
    reject("rediss:// (TLS) is not supported by this version");
  } else if (uri.find("://") != std::string_view::npos) {
    reject("it must start with redis:// or unix:");
  } else {
    parse_redis(*this, uri);
  }
}

std::string endpoint::name() const {
  if (!unix_path.empty()) return "unix:" + unix_path;
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace redlock
