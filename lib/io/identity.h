// identity: what a server says of itself (INFO), and what follows from it for its vote.

#ifndef REDLOCK_LIB_IO_IDENTITY_H
#define REDLOCK_LIB_IO_IDENTITY_H

#include <string>
#include <string_view>

namespace redlock::io {

// Empty where the server did not say, or did not let us ask.
struct identity {
  std::string run_id;  // drawn anew at every start of the server
  std::string role;    // master, slave
  std::string mode;    // standalone, cluster, sentinel
  std::string master;  // of a replica: host:port

  // Adds what one section of INFO says. Anything else in the text is skipped.
  void read(std::string_view info);

  [[nodiscard]] bool is_verified() const noexcept { return !run_id.empty() && !role.empty(); }
  [[nodiscard]] bool is_replica() const noexcept { return role == "slave" || role == "replica"; }

  // Why such a server can never be a node, and what to do; empty if it can.
  [[nodiscard]] std::string objection() const;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_IDENTITY_H
