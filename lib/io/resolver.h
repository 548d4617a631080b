// Name lookup off the loop: getaddrinfo() may block for as long as a name server likes.

#ifndef REDLOCK_LIB_IO_RESOLVER_H
#define REDLOCK_LIB_IO_RESOLVER_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/inbox.h"
#include "io/socket.h"

namespace redlock::io {

struct lookup {
  std::vector<address> addresses;
  std::string error;  // if there are none
};

// Looks the name up on a thread of its own and hands the result to the loop. The thread is left to
// itself: nobody waits for a slow name server, not even at the end; what it finds after the inbox
// is closed is dropped.
void look_up(const std::string& host, std::uint16_t port, const std::shared_ptr<inbox>& to,
             std::function<void(lookup)> then);

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_RESOLVER_H
