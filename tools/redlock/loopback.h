// What the sandbox does with TCP on the loopback address: finds free ports, and asks a server
// whether it is there. Speaks just enough of the protocol for that.

#ifndef REDLOCK_TOOLS_LOOPBACK_H
#define REDLOCK_TOOLS_LOOPBACK_H

#include <sys/types.h>

#include <cstdint>

namespace redlock::tool {

// A port that nothing was bound to just now; somebody else may take it before it is used. It lies
// outside the range that the kernel takes for outgoing connections: while a server is down, a
// client that tries to reconnect could otherwise connect to itself and keep the port from the
// server that comes back. Throws failed(unavailable) if there is none.
[[nodiscard]] std::uint16_t free_port();

// Whether the server on this port answers PING and says that it is process `pid`, and not the
// server of somebody else who was given the same port. Blocks for a fifth of a second at most.
[[nodiscard]] bool answers(std::uint16_t port, pid_t pid);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_LOOPBACK_H
