// What may block before a connection can be made, off the loop: getaddrinfo(), as long as a name
// server likes, and the user's code for credentials.

#ifndef REDLOCK_LIB_IO_RESOLVER_H
#define REDLOCK_LIB_IO_RESOLVER_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/inbox.h"
#include "io/socket.h"
#include "redlock/options.h"

namespace redlock::io {

struct lookup {
  std::vector<address> addresses;  // unless the host was empty
  std::string error;               // if there are none, or no credentials
  redlock::credentials who;
};

// Asks for the credentials, if there is whom to ask, and looks the name up, on a thread of its own
// and hands the result to the loop. The thread is left to itself: nobody waits for a slow name
// server, not even at the end; what it finds after the inbox is closed is dropped.
void look_up(const std::string& host, std::uint16_t port, const std::shared_ptr<inbox>& to,
             std::function<void(lookup)> then, std::function<redlock::credentials()> ask = {});

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_RESOLVER_H
