// The turns of the loop, and the end of everything on it.

#include "io/driver.h"

#include <uv.h>

#include <system_error>

#include "core/lead.h"
#include "io/random.h"
#include "io/token.h"
#include "io/uv_handle.h"

namespace redlock::io {
namespace {

// Keys whose holds are watched, a kilobyte each.
constexpr std::size_t holds_max = 1024;

// Takes the thing off a list in constant time; the last one gets its place.
template <class T>
void take_off(std::vector<std::unique_ptr<T>>& list, std::size_t place) noexcept {
  std::swap(list[place], list.back());
  list[place]->place = place;
  list.pop_back();
}

template <class T>
T& put_on(std::vector<std::unique_ptr<T>>& list, std::unique_ptr<T> thing) {
  thing->place = list.size();
  list.push_back(std::move(thing));
  return *list.back();
}

template <class T>
void bury_all(std::vector<std::unique_ptr<T>>& list, std::vector<T*>& finished) noexcept {
  for (T* t : finished) take_off(list, t->place);
  finished.clear();
}

}  // namespace

void driver::loop_deleter::operator()(uv_loop_s* loop) const noexcept {
  // Runs once more, for handles that were closed and not yet given back.
  while (uv_loop_close(loop) == UV_EBUSY) uv_run(loop, UV_RUN_NOWAIT);
  delete loop;
}
void driver::async_closer::operator()(uv_async_s* handle) const noexcept {
  uv_closer<uv_async_t>{}(handle);
}
void driver::prepare_closer::operator()(uv_prepare_s* handle) const noexcept {
  uv_closer<uv_prepare_t>{}(handle);
}

driver::driver(settings s)
    : settings_(std::move(s)),
      loop_(settings_.loop),
      random_(draw_base()[0]),
      max_ttl_(settings_.max_ttl),
      channel_(hexadecimal(draw_base())) {
  if (loop_ == nullptr) {
    auto fresh_loop = std::make_unique<uv_loop_t>();
    if (const int error = uv_loop_init(fresh_loop.get()); error != 0) {
      throw std::system_error(-error, std::system_category(), "uv_loop_init");
    }
    own_loop_.reset(fresh_loop.release());
    loop_ = own_loop_.get();
  }

  auto async = std::make_unique<uv_async_t>();
  async->data = this;
  const int error = uv_async_init(loop_, async.get(), [](uv_async_t* handle) {
    auto* self = static_cast<driver*>(handle->data);
    if (self->phase_ == phase::closed) return;
    self->expire(clock::now());  // first of all, what has run out meanwhile (C4)
    self->mail_->drain();
  });
  if (error != 0) throw std::system_error(-error, std::system_category(), "uv_async_init");
  wake_.reset(async.release());

  turn_end_.reset(new uv_prepare_t);
  turn_end_->data = this;
  core::check(uv_prepare_init(loop_, turn_end_.get()) == 0);
  core::check(uv_prepare_start(turn_end_.get(), [](uv_prepare_t* handle) {
                static_cast<driver*>(handle->data)->on_turn_end();
              }) == 0);

  alarm_ = std::make_unique<alarm>(
      loop_, [](void* self) noexcept { static_cast<driver*>(self)->expire(clock::now()); }, this);

  board_.resize(settings_.nodes.size());
  for (const endpoint& where : settings_.nodes) {
    const auto id = static_cast<core::node_id>(nodes_.size());
    nodes_.push_back(std::make_unique<node>(*this, id, where));
    board_[id] = nodes_.back()->status();
  }
}

driver::~driver() {
  // After run() nothing is left of these but the memory.
  tickets_.clear();
  surveys_.clear();
  nodes_.clear();
}

void driver::run() noexcept {
  core::check(own_loop_ != nullptr);
  start_nodes();
  uv_run(loop_, UV_RUN_DEFAULT);
}

void driver::start(void (*gone)(void*) noexcept, void* context) noexcept {
  core::check(own_loop_ == nullptr);
  gone_ = gone;
  gone_context_ = context;
  start_nodes();
}

void driver::start_nodes() noexcept {
  const core::time_point now = clock::now();
  for (const auto& n : nodes_) n->start(now);
  mail_->open(wake_.get());
}

std::vector<node_status> driver::status() const {
  std::vector<node_status> all;
  const core::time_point now = clock::now();
  const std::lock_guard lock(board_mutex_);
  for (const notice& n : board_) {
    node_status& s = all.emplace_back(n.status);
    if (n.guarded_until == core::never) {
      s.no_vote_for = core::nanoseconds::max();
    } else if (n.guarded_until > now) {
      s.no_vote_for = n.guarded_until - now;
    } else {
      s.guard = node_guard::none;
    }
  }
  return all;
}

void driver::publish(core::node_id n, notice s) {
  const std::lock_guard lock(board_mutex_);
  board_[n] = std::move(s);
}

void driver::publish_load(core::node_id n, core::nanoseconds latency,
                          std::size_t pending) noexcept {
  const std::lock_guard lock(board_mutex_);
  board_[n].status.latency = latency;
  board_[n].status.pending = pending;
}

ticket* driver::open(core::terms t, const core::base& who, std::string key, std::string token,
                     std::shared_ptr<owner> whose) {
  core::check(!is_closing());
  t.max_ttl = std::max(t.max_ttl, max_ttl_);
  if (t.retry.asks_for_holds()) t.usual_hold = holds_of(key).usual();
  if (active_ >= settings_.max_leases) return nullptr;
  ++active_;
  lines::entry* const line = settings_.fairness ? &lines_.of(key) : nullptr;
  core::reach nodes = reach();
  nodes.lead = lead_of(key);
  return &put_on(tickets_, std::make_unique<ticket>(*this, t, who, nodes, std::move(key),
                                                    std::move(token), line, std::move(whose)));
}

void driver::inspect(std::string key, survey::callback then) {
  core::check(!is_closing());
  if (surveys_.size() >= settings_.max_leases) {
    then(failure(errc::overloaded, "options::max_leases inspections at once"));
    return;
  }
  put_on(surveys_, std::make_unique<survey>(*this, std::move(key), std::move(then)))
      .start(clock::now());
}

core::reach driver::reach() const noexcept {
  core::reach r;
  for (core::node_id n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n]->is_up()) {
      r.up.insert(n);
      if (nodes_[n]->trust().is_guarded()) r.guarded.insert(n);
      if (nodes_[n]->is_told()) r.told.insert(n);
    } else if (nodes_[n]->is_fresh()) {
      r.fresh.insert(n);
    } else if (nodes_[n]->absence() == answer::denied) {
      r.denied.insert(n);
    } else if (nodes_[n]->absence() == answer::duplicate) {
      r.duplicate.insert(n);
    } else if (nodes_[n]->absence() == answer::replica) {
      r.replica.insert(n);
    }
  }
  return r;
}

std::optional<core::node_id> driver::lead_of(std::string_view key) const noexcept {
  std::optional<core::node_id> lead;
  if (!settings_.fairness) return lead;
  std::uint64_t heaviest = 0;
  for (core::node_id n = 0; n < nodes_.size(); ++n) {
    if (!nodes_[n]->can_lead() || nodes_[n]->trust().is_guarded()) continue;
    const std::uint64_t weight = core::lead_weight(nodes_[n]->identity_of_server(), key);
    if (lead && weight <= heaviest) continue;
    lead = n;
    heaviest = weight;
  }
  return lead;
}

// A server counts once, under the first of its addresses in the list, also while that one is down:
// its vote in a round under way may have been counted (D1).
const node* driver::first_of_server(core::node_id n) const noexcept {
  const std::string& self = nodes_[n]->run_id();
  for (core::node_id before = 0; before < n && !self.empty(); ++before) {
    if (nodes_[before]->run_id() == self) return nodes_[before].get();
  }
  return nullptr;
}

node* driver::next_of_server(core::node_id n) noexcept {
  const std::string& self = nodes_[n]->run_id();
  for (std::size_t after = n + 1U; after < nodes_.size() && !self.empty(); ++after) {
    if (nodes_[after]->is_up() && nodes_[after]->run_id() == self) return nodes_[after].get();
  }
  return nullptr;
}

// splitmix64: for back-off only.
std::uint64_t driver::random() noexcept {
  std::uint64_t z = (random_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

void driver::expire(core::time_point now) noexcept {
  while (timers_.wake_one(now)) {
  }
}

core::hold_times& driver::holds_of(const std::string& key) {
  const auto found = holds_.find(key);
  if (found != holds_.end()) return found->second;
  if (holds_.size() >= holds_max) holds_.erase(holds_.begin());  // any: it is but a guess
  return holds_[key];
}

void driver::on_reach_changed(core::time_point now) noexcept {
  // By index: what a ticket does may add to other lists, never to this one.
  const core::reach r = reach();
  for (std::size_t i = 0; i < tickets_.size(); ++i) tickets_[i]->on_reach(r, now);
}

void driver::listen(core::time_point now) noexcept {
  if (!settings_.wakeups || std::exchange(listens_, true)) return;
  for (const auto& n : nodes_) n->listen(now);
}

// A turn of somebody who has gone is handed on by the release that took the place away.
void driver::on_turn(const turn& t, core::time_point now) noexcept {
  ticket* const waiter = lines_.waiter_of(std::string(t.key));
  if (waiter != nullptr && waiter->base() == t.base) waiter->on_turn(t.released, now);
}

void driver::on_guard_changed(core::node_id n, core::time_point now) noexcept {
  nodes_[n]->publish();
  if (nodes_[n]->is_up()) on_reach_changed(now);
}

void driver::on_step(core::node_id n, core::time_point now) noexcept {
  for (std::size_t i = 0; i < tickets_.size(); ++i) tickets_[i]->on_step(n, now);
  nodes_[n]->trust().review(now);
}

void driver::compare_clocks(core::time_point now) noexcept {
  core::yardstick typical;
  for (const auto& n : nodes_) typical.add(n->trust().guard());
  const auto own = std::chrono::system_clock::now().time_since_epoch() - now.time_since_epoch();
  const auto length = typical.length(nodes_.size(), own);
  if (!length) return;
  for (const auto& n : nodes_) n->trust().compare(*length, now);
}

void driver::on_max_ttl(core::milliseconds seen, core::time_point now) noexcept {
  if (seen <= max_ttl_) return;
  max_ttl_ = seen;
  for (const auto& n : nodes_) n->trust().review(now);
}

void driver::on_ended(ticket& t) noexcept {
  // The memory of unconfirmed releases is bounded (R2).
  if (tickets_.size() - active_ > settings_.max_leases) t.forget_releases();
}

void driver::retire(ticket& t) noexcept {
  if (!std::exchange(t.retired, true)) finished_tickets_.push_back(&t);
}

void driver::retire(survey& s) noexcept {
  if (!std::exchange(s.retired, true)) finished_surveys_.push_back(&s);
}

// What was queued in this turn leaves now, in one write per node.
void driver::on_turn_end() noexcept {
  const core::time_point now = clock::now();
  flush(now);
  bury();
  if (is_closing() && phase_ != phase::closed && is_quiet()) finish(now);
  if (phase_ != phase::closed) alarm_->set(timers_.next());
}

void driver::flush(core::time_point now) noexcept {
  // Again while there is more: a write that fails, or a command dropped, may lead to new ones.
  // Whose turn it is now asks right behind the release, on the same connections.
  lines_.admit(*this, now);
  while (std::exchange(queued_, false)) {
    // First to the lead, which tells others of their turn, and whose answer a grant waits for.
    nodes_[std::exchange(write_first_, core::node_id{0})]->flush(now);
    for (const auto& n : nodes_) n->flush(now);
    lines_.admit(*this, now);
  }
}

void driver::bury() noexcept {
  bury_all(tickets_, finished_tickets_);
  bury_all(surveys_, finished_surveys_);
}

void driver::close(core::time_point now) {
  if (is_closing()) return;
  phase_ = phase::signalling;
  close_by_ = now + settings_.node_timeout;
  for (std::size_t i = 0; i < tickets_.size(); ++i) tickets_[i]->close(now);
  for (std::size_t i = 0; i < surveys_.size(); ++i) surveys_[i]->close();
  timers_.set(*this, now + settings_.node_timeout / 2);
}

void driver::on_time(core::time_point now) noexcept {
  if (phase_ == phase::signalling) {
    // Whoever has not been signalled by now is kept up by the user's own code.
    phase_ = phase::releasing;
    for (std::size_t i = 0; i < tickets_.size(); ++i) tickets_[i]->stop_signalled(now);
    timers_.set(*this, close_by_);
  } else if (phase_ == phase::releasing) {
    finish(now);
  }
}

bool driver::is_quiet() const noexcept {
  for (const auto& t : tickets_) {
    if (!t->is_idle()) return false;
  }
  return true;
}

// Gives everything back to the loop, which then ends.
void driver::finish(core::time_point now) noexcept {
  phase_ = phase::closed;
  for (const auto& n : nodes_) n->stop(now);
  finished_tickets_.clear();
  finished_surveys_.clear();
  tickets_.clear();
  surveys_.clear();
  timers_.clear(*this);
  mail_->close();
  close_wake();
  alarm_.reset();
  turn_end_.reset();
}

// The handle that stands for all of ours: libuv calls back for what was closed in one turn in one
// go, and for what was closed first at last.
void driver::close_wake() noexcept {
  if (gone_ == nullptr) {
    wake_.reset();
    return;
  }
  uv_close(reinterpret_cast<uv_handle_t*>(wake_.release()), [](uv_handle_t* handle) {
    const auto* self = static_cast<driver*>(handle->data);
    delete reinterpret_cast<uv_async_t*>(handle);
    self->gone_(self->gone_context_);
  });
}

}  // namespace redlock::io
