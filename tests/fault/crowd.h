// crowd: client processes, and the ledger that they share.

#ifndef REDLOCK_FAULT_CROWD_H
#define REDLOCK_FAULT_CROWD_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "client.h"
#include "client_plan.h"
#include "ledger.h"
#include "live/temp_dir.h"
#include "oracle.h"

namespace redlock::fault {

// Thread safety: one thread, which must outlive it.
class crowd {
 public:
  crowd() : ledger_(dir_.path() / "ledger") {}

  // One more client. Its page and ledger are seen to here. At most pages_max.
  client& add(client_plan plan) {
    plan.ledger = dir_.path() / "ledger";
    plan.page = clients_.size();
    return clients_.emplace_back(plan, ledger_->pages[plan.page]);
  }

  void enter(phase next) { ledger_->now = static_cast<std::uint32_t>(next); }

  client& operator[](std::size_t i) { return clients_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return clients_.size(); }
  auto begin() { return clients_.begin(); }
  auto end() { return clients_.end(); }
  [[nodiscard]] const book& written() const noexcept { return *ledger_; }

 private:
  live::temp_dir dir_;
  ledger ledger_;
  std::deque<client> clients_;
};

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_CROWD_H
