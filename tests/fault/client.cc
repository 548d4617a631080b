#include "client.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace redlock::fault {

client::client(client_plan plan, page& where) : plan_(std::move(plan)), page_(where) { start(); }

void client::start() {
  std::vector<std::string> words = plan_.words();
  words.insert(words.begin(), REDLOCK_FAULT_CLIENT);
  since_ = ticks();
  process_.emplace(words, live::process_options{.output = STDERR_FILENO});
}

void client::stop() {
  ++page_.stops;
  process_->stop();
}

void client::cont() {
  since_ = ticks();
  process_->cont();
}

void client::kill() { process_->kill(); }

void client::restart() {
  page_.under_way = static_cast<std::uint32_t>(call::none);  // what it was in died with it
  ++plan_.seed;
  start();
}

nanoseconds client::overdue() const {
  if (stopped() || page_.under_way == static_cast<std::uint32_t>(call::none)) return nanoseconds{0};
  return nanoseconds(std::max<std::int64_t>(0, ticks() - std::max(page_.limit.load(), since_)));
}

}  // namespace redlock::fault
