#include "wander.h"

#include <iterator>
#include <thread>
#include <utility>

#include "live/eventually.h"
#include "testimony.h"

namespace redlock::fault {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t ttl_least_ms = 500;
constexpr retry_policy policies[] = {retry_policy::fixed, retry_policy::exponential,
                                     retry_policy::hybrid, retry_policy::spin,
                                     retry_policy::adaptive};
constexpr int rounds_per_manager = 40;  // on average

}  // namespace

wanderer::wanderer(const client_plan& plan, book& shared)
    : plan_(plan),
      shared_(shared),
      page_(shared.pages[plan.page]),
      random_(plan.seed),
      options_(plan.options()),
      locks_(std::make_unique<lock_manager>(options_)) {}

void wanderer::run() {
  while (now() != phase::end) {
    round();
    if (random_.number(1, rounds_per_manager) > 1) continue;
    close_manager();
    locks_ = std::make_unique<lock_manager>(options_);
  }
  close_manager();
}

void wanderer::round() {
  const auto resource = static_cast<std::uint32_t>(random_.number(0, plan_.resources - 1));
  lock_options o;
  o.ttl = random_.milliseconds(ttl_least_ms, plan_.max_ttl_ms);
  o.wait = random_.chance(30) ? 0ms : random_.milliseconds(1, 500);
  o.policy = policies[random_.index(std::size(policies))];
  o.stop_margin = random_.chance(50) ? 0ms : random_.milliseconds(1, ttl_least_ms / 4);
  o.renewal = random_.chance(70) ? renewal::automatic() : renewal::manual();
  // First contact comes on top of the wait, and one node time-out where there is no wait.
  const nanoseconds limit = options_.connect_timeout + o.wait + options_.node_timeout;
  result<lease> held = watched(page_, call::acquire, limit,
                               [&] { return locks_->acquire(resource_name(resource), o); });
  if (held) {
    ++page_.grants;
    hold(std::move(*held), resource, std::chrono::duration_cast<milliseconds>(o.ttl));
  } else if (held.error().code() == errc::invalid_argument) {
    detail::broken(held.error().message().c_str());
  } else {
    std::this_thread::sleep_for(random_.milliseconds(1, 30));
  }
}

void wanderer::hold(lease held, std::uint32_t resource, milliseconds ttl) {
  testimony seen(page_, resource);
  // In the calm, everybody is to have a turn.
  const bool briefly = now() == phase::calm || random_.chance(60);
  const auto enough = random_.milliseconds(0, briefly ? 50 : ttl.count() * 3 / 2);
  const auto end = clock::now() + enough;
  const bool renews = random_.chance(30);
  while (clock::now() < end && now() != phase::end) {
    if (!seen.look(held)) {
      ++page_.losses;
      expect_signal(held);
      return;
    }
    if (renews && random_.chance(1)) {
      static_cast<void>(
          watched(page_, call::renew, options_.node_timeout, [&] { return held.renew(); }));
    }
    std::this_thread::sleep_for(1ms);
  }
  seen.look(held);
  give_back(std::move(held), resource, {.ttl = ttl});
}

void wanderer::give_back(lease held, std::uint32_t resource, const lock_options& o) {
  const std::int64_t how = random_.number(1, 10);
  if (how == 1) return;  // the destructor does it
  if (how == 2) {
    held.release_async().then([](result<void>) noexcept {});
    return;
  }
  if (how == 3) {
    const result<std::string> token = held.detach();
    if (!token) return;
    result<lease> again =
        watched(page_, call::adopt, options_.connect_timeout + options_.node_timeout,
                [&] { return locks_->adopt(resource_name(resource), *token, o); });
    if (!again) return;  // its keys end by their ttl
    testimony seen(page_, resource);
    seen.look(*again);
    seen.look(*again);
    held = std::move(*again);
  }
  static_cast<void>(
      watched(page_, call::release, options_.node_timeout, [&] { return held.release(); }));
}

// A lease that is no longer held has said so, or is about to.
void wanderer::expect_signal(const lease& lost) {
  const std::stop_token stop = lost.stop_token();
  if (!live::eventually([&] { return stop.stop_requested(); })) {
    detail::broken("a lease was lost without a signal");
  }
  if (lost.held()) detail::broken("a lost lease is held again");
}

// The destructor waits for the releases, one node time-out at most.
void wanderer::close_manager() {
  watched(page_, call::close, options_.node_timeout, [&] {
    locks_.reset();
    return true;
  });
}

}  // namespace redlock::fault
