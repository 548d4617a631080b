// The thread of a lookup.

#include "io/resolver.h"

#include <netdb.h>

#include <cstring>
#include <system_error>
#include <thread>

#include "io/thread.h"

namespace redlock::io {
namespace {

void resolve(const std::string& host, std::uint16_t port, lookup& result) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    result.error = std::string("cannot resolve the name: ") + ::gai_strerror(error);
    return;
  }
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    address one;
    std::memcpy(&one.where, a->ai_addr, a->ai_addrlen);
    one.length = a->ai_addrlen;
    result.addresses.push_back(one);
  }
  ::freeaddrinfo(found);
}

// The user's code: whatever it throws, only this node goes without.
bool ask_for(const std::function<redlock::credentials()>& ask, lookup& result) noexcept {
  try {
    result.who = ask();
    return true;
  } catch (const std::exception& e) {
    result.error = std::string("no credentials: ") + e.what();
  } catch (...) {
    result.error = "no credentials";
  }
  return false;
}

lookup look(const std::string& host, std::uint16_t port,
            const std::function<redlock::credentials()>& ask) {
  lookup result;
  if (ask && !ask_for(ask, result)) return result;
  if (!host.empty()) resolve(host, port, result);
  return result;
}

}  // namespace

void look_up(const std::string& host, std::uint16_t port, const std::shared_ptr<inbox>& to,
             std::function<void(lookup)> then, std::function<redlock::credentials()> ask) {
  try {
    quiet_thread([host, port, to, then, ask = std::move(ask)] {
      to->post([result = look(host, port, ask), then] { then(result); });
    }).detach();
  } catch (const std::system_error& e) {
    to->post([then, text = std::string(e.what())] { then({{}, text, {}}); });
  }
}

}  // namespace redlock::io
