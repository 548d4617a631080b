// epoll_client: the floor: N sockets, one epoll, and nothing between.

#ifndef REDLOCK_BENCH_EPOLL_CLIENT_H
#define REDLOCK_BENCH_EPOLL_CLIENT_H

#include <string>
#include <vector>

#include "bench/quorum_client.h"
#include "io/ring.h"
#include "tests/live/sockets.h"

namespace redlock::bench {

class epoll_client final : public quorum_client {
 public:
  epoll_client(live::masters& nodes, std::size_t quorum);

 private:
  struct connection {
    live::descriptor socket;
    std::string out;
    std::string in;
    io::ring<tag> waiting;
  };
  void queue(std::size_t node, std::string_view bytes, tag whose) override;
  void turn() override;
  void read(connection& c);

  live::descriptor epoll_;
  std::vector<connection> connections_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_EPOLL_CLIENT_H
