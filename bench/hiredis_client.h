// hiredis_client: the same on bare hiredis and libuv, with the adapter that comes with hiredis.

#ifndef REDLOCK_BENCH_HIREDIS_CLIENT_H
#define REDLOCK_BENCH_HIREDIS_CLIENT_H

#include <memory>
#include <vector>

#include "bench/quorum_client.h"

struct redisAsyncContext;
struct uv_loop_s;

namespace redlock::bench {

class hiredis_client final : public quorum_client {
 public:
  hiredis_client(live::masters& nodes, std::size_t quorum);
  ~hiredis_client() override;

 private:
  void queue(std::size_t node, std::string_view bytes, tag whose) override;
  void turn() override;

  std::unique_ptr<uv_loop_s> loop_;
  std::vector<redisAsyncContext*> connections_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_HIREDIS_CLIENT_H
