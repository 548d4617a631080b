// The thread of a lookup.

#include "io/resolver.h"

#include <netdb.h>

#include <cstring>
#include <system_error>
#include <thread>

#include "io/thread.h"

namespace redlock::io {
namespace {

lookup resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  lookup result;
  if (error != 0) {
    result.error = std::string("cannot resolve the name: ") + ::gai_strerror(error);
    return result;
  }
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    address one;
    std::memcpy(&one.where, a->ai_addr, a->ai_addrlen);
    one.length = a->ai_addrlen;
    result.addresses.push_back(one);
  }
  ::freeaddrinfo(found);
  return result;
}

}  // namespace

void look_up(const std::string& host, std::uint16_t port, const std::shared_ptr<inbox>& to,
             std::function<void(lookup)> then) {
  try {
    quiet_thread([host, port, to, then] {
      to->post([result = resolve(host, port), then] { then(result); });
    }).detach();
  } catch (const std::system_error& e) {
    to->post([then, text = std::string(e.what())] { then({{}, text}); });
  }
}

}  // namespace redlock::io
