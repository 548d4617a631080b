// From the core to the nodes and the owner, and back.

#include "io/ticket.h"

#include "io/driver.h"
#include "io/token.h"

namespace redlock::io {

ticket::ticket(driver& where, const core::terms& terms, const core::base& who,
               const core::reach& nodes, std::string key, std::string token, lines::entry* line,
               std::shared_ptr<owner> whose)
    : driver_(where),
      lead_(nodes.lead),
      claim_(terms, who, nodes),
      key_(std::move(key)),
      queue_(terms.fair ? "redlock-queue:" + key_ : ""),
      base_(token.empty() ? hexadecimal(who) : token.substr(0, token.find('.'))),
      given_(std::move(token)),
      line_(line),
      owner_(std::move(whose)),
      waits_(terms.wait > core::nanoseconds{0}),
      watches_holds_(terms.retry.asks_for_holds()) {}

ticket::~ticket() {
  core::check(pending_ == 0);
  driver_.timers().clear(*this);
  owner_->on_retired();
}

// One input to the claim, and all that it leads to.
template <class Input>
void ticket::step(core::time_point now, Input input) noexcept {
  core::outbox& out = driver_.outbox();
  const bool was_held = is_held();
  out.clear();
  input(out);
  for (const core::command& c : out.commands()) {
    driver_.node_at(c.node).enqueue(*this, script_of(c.what), c);
    ++pending_;
    if (c.queue != core::queueing::none && c.node == lead_) driver_.write_first(c.node);
  }
  const core::news news = out.told();
  driver_.timers().set(*this, claim_.wake());
  if (is_held() && claim_.nodes_held() != nodes_held_) {
    nodes_held_ = claim_.nodes_held();
    owner_->on_nodes_held(nodes_held_);
  }
  tell(news, now);
  if (is_over() && !std::exchange(over_, true)) {
    if (watches_holds_ && was_held) watch_hold({}, now);
    leave_line(was_held, now);
    driver_.on_over();
  }
  if (is_ended() && !std::exchange(ended_, true)) driver_.on_ended(*this);
  if (is_finished()) driver_.retire(*this);
}

void ticket::acquire(core::time_point now) noexcept {
  const bool at_once = line_ == nullptr || line_->line.enter(*this, waits_);
  if (driver_.waiters().has_others(key_)) claim_.expect_others();
  step(now,
       [&](core::outbox& out) { at_once ? claim_.acquire(now, out) : claim_.queue(now, out); });
}

void ticket::admit(core::time_point not_before, core::time_point now) noexcept {
  if (driver_.waiters().has_others(key_)) claim_.expect_others();
  step(now, [&](core::outbox& out) { claim_.admit(not_before, now, out); });
}

void ticket::leave_line(bool held, core::time_point now) {
  if (line_ == nullptr) return;
  line_->line.leave(*this, held, now);
  driver_.on_left(*std::exchange(line_, nullptr));
}

void ticket::adopt(core::attempt_id k, core::time_point now) noexcept {
  if (line_ != nullptr) line_->line.enter_in_front(*this);
  step(now, [&](core::outbox& out) { claim_.adopt(k, now, out); });
}

void ticket::take_back(core::attempt_id k, core::time_point now) noexcept {
  step(now, [&](core::outbox& out) { claim_.take_back(k, now, out); });
}

// Before any input that could lead to a release: the keys may be somebody else's lease by now.
void ticket::notice_detached(core::time_point now) noexcept {
  if ((is_held() || is_lost()) && owner_->is_detached()) {
    step(now, [&](core::outbox&) { claim_.detach(); });
  }
}

void ticket::cancel(core::time_point now) noexcept {
  step(now, [&](core::outbox& out) { claim_.cancel(out); });
}

void ticket::renew(core::time_point now) noexcept {
  step(now, [&](core::outbox& out) { claim_.renew(now, out); });
}

void ticket::release(core::time_point now) noexcept {
  lead_ = driver_.lead_of(key_);
  step(now, [&](core::outbox& out) { claim_.release(now, out); });
}

void ticket::owner_saw_expiry(core::time_point now) noexcept {
  step(now, [&](core::outbox& out) { claim_.owner_saw_expiry(now, out); });
}

void ticket::stop_signalled(core::time_point now) noexcept {
  notice_detached(now);
  if (is_lost()) {
    step(now, [&](core::outbox& out) { claim_.stop_signalled(out); });
  } else if (closing_ && is_held()) {
    release(now);
  }
}

void ticket::on_reach(core::reach nodes, core::time_point now) noexcept {
  notice_detached(now);
  // A lease does not ask it, and of many it would take long to find.
  if (!is_held() && !is_over()) lead_ = driver_.lead_of(key_);
  nodes.lead = lead_;
  step(now, [&](core::outbox& out) { claim_.on_reach(nodes, now, out); });
}

void ticket::on_step(core::node_id n, core::time_point now) noexcept {
  notice_detached(now);
  step(now, [&](core::outbox& out) { claim_.on_step(n, now, out); });
}

void ticket::close(core::time_point now) noexcept {
  if (closing_) return;
  notice_detached(now);
  closing_ = true;
  if (is_held()) {
    if (owner_->on_closing()) release(now);
  } else {
    cancel(now);
  }
}

bool ticket::is_over() const noexcept {
  const auto where = claim_.where();
  return where == core::claim::state::releasing || where == core::claim::state::lost ||
         where == core::claim::state::ended;
}

void ticket::forget_releases() noexcept { claim_.forget_releases(); }

bool ticket::is_idle() const noexcept { return is_ended() && pending_ == 0; }

bool ticket::wants(const core::command& c, core::time_point now) noexcept {
  const bool for_holder = c.what == core::verb::renew || c.what == core::verb::refill;
  return claim_.wants(c, now) && (!for_holder || !is_held() || owner_->is_held());
}

script_call ticket::call(const core::command& c) noexcept {
  write_token(c.attempt);
  return {.key = key_,
          .token = token_,
          .ttl = c.ttl,
          .base = base_,
          .attempt = c.attempt,
          .queueing = c.queue,
          .queue = queue_,
          .channel = driver_.channel(),
          .listens = driver_.node_at(c.node).is_told(),
          .released = released_,
          .window = std::chrono::ceil<core::milliseconds>(driver_.config().node_timeout)};
}

void ticket::on_turn(std::string_view released, core::time_point now) noexcept {
  if (!released.empty()) released_.assign(released);
  step(now, [&](core::outbox& out) { claim_.on_turn(now, out); });
}

// What the lead says of other processes, for the acquires to come.
void ticket::note_others(const core::command& c, const node_reply& r) {
  if (c.queue == core::queueing::none || c.node != lead_) return;
  const bool said =
      r.answer == answer::granted || r.answer == answer::absent || r.answer == answer::foreign;
  if (r.answer == answer::refused) driver_.waiters().note_others(key_, true);
  if (c.what == core::verb::release && said) driver_.waiters().note_others(key_, r.waiting > 0);
}

void ticket::on_settled(const core::command& c, const node_reply& r,
                        core::time_point now) noexcept {
  notice_detached(now);
  --pending_;
  if (!r.text.empty() && said_.empty()) said_.resize(driver_.config().nodes.size());
  // A release that went well says nothing of why its attempt failed.
  const bool tells = c.what != core::verb::release || !r.text.empty();
  if (tells && !said_.empty()) said_[c.node] = r.text;
  if (watches_holds_ && r.answer == answer::refused) {
    // One node is enough; two may name different holders.
    if (c.node == *driver_.reach().up.begin()) watch_hold(r.text, now);
  }
  note_others(c, r);
  // From now on it waits: for the next time it should be told.
  if (c.queue == core::queueing::join && r.answer == answer::refused) driver_.listen(now);
  step(now, [&](core::outbox& out) {
    claim_.on_reply({.to = c,
                     .answer = r.answer,
                     .key_left = r.key_left,
                     .queued = r.queued,
                     .waiting = r.waiting},
                    now, out);
  });
}

void ticket::on_time(core::time_point now) noexcept {
  notice_detached(now);
  step(now, [&](core::outbox& out) { claim_.on_wake(now, out); });
}

void ticket::tell(core::news n, core::time_point now) noexcept {
  switch (n) {
    case core::news::none:
      break;
    case core::news::acquired:
      write_token(claim_.attempt());
      if (watches_holds_) watch_hold(token_, now);
      if (line_ != nullptr) line_->line.on_served(*this);
      owner_->on_acquired(token_, claim_.valid_until());
      break;
    case core::news::gave_up:
      owner_->on_gave_up(why(closing_ ? errc::shut_down : claim_.why()));
      break;
    case core::news::renewed:
      if (!owner_->on_renewed(claim_.valid_until())) owner_saw_expiry(now);
      break;
    case core::news::renew_failed:
      owner_->on_renew_failed(why(claim_.why()));
      break;
    case core::news::expiring:
      owner_->on_expiring();
      break;
    case core::news::lost:
      if (owner_->on_lost(why(errc::lost))) stop_signalled(now);
      break;
    case core::news::released:
    case core::news::unconfirmed:
      owner_->on_released(n == core::news::released, why(errc::no_quorum));
      break;
  }
}

// The code, and what the nodes said in the vote that decided it.
failure ticket::why(errc code) const {
  if (code == errc::held_by_other && claim_.attempt() == 0) {
    return {code, "others of this lock_manager wait for it or have it, and come first"};
  }
  const core::ballot& b = claim_.votes();
  const redlock::votes votes{.nodes = static_cast<std::uint8_t>(b.nodes()),
                             .quorum = static_cast<std::uint8_t>(b.quorum()),
                             .granted = static_cast<std::uint8_t>(b.yes().size()),
                             .refused = static_cast<std::uint8_t>(b.no().size()),
                             .faults = static_cast<std::uint8_t>(b.faults().size())};
  std::vector<node_answer> nodes;
  for (const core::node_id n : b.yes() | b.no() | b.faults()) {
    const answer a = b.said(n);
    std::string text;
    const bool absent = a == answer::unreachable || a == answer::unsent || a == answer::denied ||
                        a == answer::duplicate || a == answer::replica;
    if (a == answer::guarded) {
      text = driver_.node_at(n).trust().said(clock::now());
    } else if (absent) {
      text = driver_.node_at(n).last_error();
    } else if (a != answer::granted && a != answer::timed_out && !said_.empty()) {
      text = said_[n];
    }
    nodes.push_back({driver_.node_at(n).name(), a, std::move(text)});
  }
  return {code, votes, std::move(nodes)};
}

// Empty: nobody.
void ticket::watch_hold(std::string_view holder, core::time_point now) {
  const std::uint64_t who = holder.empty() ? 0 : std::hash<std::string_view>{}(holder) | 1;
  driver_.holds_of(key_).saw(who, now);
}

void ticket::write_token(core::attempt_id attempt) {
  if (!given_.empty()) {
    token_ = given_;
    return;
  }
  token_.assign(base_);
  token_ += '.';
  token_ += std::to_string(attempt);
  token_ += '@';
  token_ += driver_.config().client_name;
}

}  // namespace redlock::io
