// identity: what a server says of itself (INFO), and what follows from it for its vote.

#ifndef REDLOCK_LIB_IO_IDENTITY_H
#define REDLOCK_LIB_IO_IDENTITY_H

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace redlock::io {

// Empty, or false, where the server did not say, or did not let us ask.
struct identity {
  std::string run_id;     // drawn anew at every start of the server
  std::string role;       // master, slave
  std::string mode;       // standalone, cluster, sentinel
  std::string master;     // of a replica: host:port
  std::string replid;     // drawn anew when a replica becomes a master, among others
  bool promoted = false;  // it was a replica once
  std::optional<std::chrono::seconds> uptime;

  // Adds what one section of INFO says. Anything else in the text is skipped.
  void read(std::string_view info);

  [[nodiscard]] bool is_verified() const noexcept { return !run_id.empty() && !role.empty(); }
  [[nodiscard]] bool is_replica() const noexcept { return role == "slave" || role == "replica"; }

  // Why such a server can never be a node, and what to do; empty if it can.
  [[nodiscard]] std::string objection() const;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_IDENTITY_H
