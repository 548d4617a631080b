// What befalls a client.

#include "faults.h"

namespace redlock::fault {

std::vector<fault_kind> client_faults(ground& where) {
  return {
      {"client stopped", target::client, 6, 3000,
       [&where](std::size_t i) {
         where.clients[i].stop();
         return [&where, i] { where.clients[i].cont(); };
       }},
      {"client killed", target::client, 3, 1000,
       [&where](std::size_t i) {
         where.clients[i].kill();
         return [&where, i] { where.clients[i].restart(); };
       }},
  };
}

}  // namespace redlock::fault
