// A node that has a connection: writing, reading, matching replies to commands. Getting and losing
// the connection is in node_connect.cc.

#include "io/node.h"

#include <hiredis/hiredis.h>
#include <uv.h>

#include <cstring>

#include "io/driver.h"
#include "io/uv_handle.h"

namespace redlock::io {
namespace {

bool is_denied(const redisReply& reply) noexcept {
  return reply.type == REDIS_REPLY_ERROR && classify_error(text_of(reply)) == answer::denied;
}

}  // namespace

node::node(driver& owner, core::node_id id, endpoint where)
    : driver_(owner),
      id_(id),
      where_(std::move(where)),
      name_(where_.name()),
      health_(owner, id),
      listener_(owner, id) {}

node::~node() = default;

void node::enqueue(sink& from, script what, const core::command& c) {
  core::check(is_up() || is_fresh());
  queue_.push({.from = &from, .what = what, .command = c});
  driver_.on_queued();
}

void node::look_at_role() noexcept {
  if (!self_.is_verified()) return;
  queue_.push({});
  driver_.on_queued();
}

void node::settle(const queued& q, const node_reply& r, core::time_point now) noexcept {
  if (q.from != nullptr) q.from->on_settled(q.command, r, now);
}

void node::flush(core::time_point now) noexcept {
  if (!is_up() || blocked_) return;
  while (!queue_.empty()) {
    queued q = queue_.pop();
    if (denies_queues_) q.command.queue = core::queueing::none;
    if (q.from == nullptr || q.from->wants(q.command, now)) {
      append(q, false, now);
    } else {
      settle(q, {.answer = answer::unsent}, now);
    }
  }
  if (out_.empty()) return;
  write(now);
  driver_.publish_load(id_, latency_, pending_.size());
}

// `by_text`: the node did not know the script by its digest.
void node::append(const queued& q, bool by_text, core::time_point now) noexcept {
  ++last_number_;
  if (q.from == nullptr) {
    append_command(out_, {"INFO", "replication"});
  } else {
    std::string_view digest;
    if (!by_text) digest = digests_[static_cast<std::size_t>(q.what)];
    script_call call = q.from->call(q.command);
    call.what = q.what;
    append_call(out_, call, digest, last_number_);
  }
  if (pending_.empty()) {
    progress_ = now;
    auto& timers = driver_.timers();
    if (!timers.is_set(*this)) timers.set(*this, now + driver_.config().node_timeout);
  }
  pending_.push({.q = q, .number = last_number_, .at = now});
}

void node::write(core::time_point now) noexcept {
  while (taken_ < out_.size()) {
    const std::ptrdiff_t count = stream_.send(std::string_view(out_).substr(taken_));
    if (count == -EAGAIN) {
      blocked_ = true;
      if (!watch(UV_READABLE | UV_WRITABLE))
        fail("cannot watch the socket", answer::unreachable, now);
      return;
    }
    if (count < 0) {
      fail(std::string("write failed: ") + std::strerror(static_cast<int>(-count)),
           answer::unreachable, now);
      return;
    }
    taken_ += static_cast<std::size_t>(count);
  }
  out_.clear();
  taken_ = 0;
}

bool node::watch(int events) noexcept {
  if (events == watched_) return true;
  watched_ = events;
  return uv_poll_start(poll_.get(), events, [](uv_poll_t* handle, int status, int seen) {
           if (handle->data != nullptr) static_cast<node*>(handle->data)->on_poll(status, seen);
         }) == 0;
}

void node::on_poll(int status, int events) noexcept {
  const core::time_point now = clock::now();
  const std::uint64_t generation = generation_;
  driver_.expire(now);                    // first of all, what has run out meanwhile (C4)
  if (generation != generation_) return;  // this connection among them
  if (state_ == state::connecting) {
    on_connected(now);
    return;
  }
  if (status < 0) {
    const int error = stream_.connect_error();
    fail(std::string("connection broken: ") +
             (error != 0 ? std::strerror(error) : uv_strerror(status)),
         answer::unreachable, now);
    return;
  }
  if ((events & (UV_READABLE | UV_DISCONNECT)) != 0) on_readable(now);
  if (generation != generation_ || !stream_.is_open()) return;
  if ((events & UV_WRITABLE) != 0 && blocked_) {
    blocked_ = false;
    if (!watch(UV_READABLE)) return fail("cannot watch the socket", answer::unreachable, now);
    write(now);
    driver_.on_queued();  // what had to wait
  }
  driver_.publish_load(id_, latency_, pending_.size());
}

void node::on_readable(core::time_point now) noexcept {
  std::array<char, std::size_t{16} * 1024> bytes;
  const std::ptrdiff_t got = stream_.receive(bytes);
  if (got == -EAGAIN) return;
  if (got <= 0) {
    fail(got == 0 ? "the server closed the connection"
                  : std::string("read failed: ") + std::strerror(static_cast<int>(-got)),
         answer::unreachable, now);
    return;
  }
  progress_ = now;
  reader_->feed(std::string_view(bytes.data(), static_cast<std::size_t>(got)));
  const std::uint64_t generation = generation_;
  while (generation == generation_ && stream_.is_open()) {
    const reply_ptr reply = reader_->next();
    if (!reader_->error().empty()) {
      fail(reader_->error(), answer::unreachable, now);
    } else if (reply == nullptr) {
      return;
    } else if (state_ == state::setting_up) {
      on_setup_reply(*reply, clock::now());
    } else {
      on_reply(*reply, clock::now());
    }
  }
}

void node::on_reply(const redisReply& reply, core::time_point now) noexcept {
  if (pending_.empty()) {
    fail("the server spoke out of turn: " + std::string(text_of(reply)), answer::unreachable, now);
    return;
  }
  const sent& oldest = pending_.front();
  if (oldest.q.from == nullptr) {
    pending_.pop();
    on_role(reply, now);
    return;
  }
  if (is_unknown_script(reply)) {
    ask_again(pending_.pop().q, true, now);
    return;
  }
  if (oldest.q.command.queue != core::queueing::none && is_denied(reply)) {
    // A right to the queue, taken away since the set-up, must cost no vote and keep up no release.
    queued q = pending_.pop().q;
    q.command.queue = core::queueing::none;
    ask_again(q, false, now);
    return;
  }
  const std::optional<node_reply> read =
      read_reply(oldest.q.what, oldest.q.command.queue, oldest.number, reply);
  if (!read) {
    fail("the server's reply does not belong to the command", answer::unreachable, now);
    return;
  }
  const sent answered = pending_.pop();
  const core::nanoseconds took = now - answered.at;
  latency_ = latency_ == core::nanoseconds{0} ? took : (latency_ * 7 + took) / 8;
  if (read->answer != answer::granted && read->answer != answer::refused &&
      read->answer != answer::absent && read->answer != answer::foreign) {
    last_error_ = read->text;
  }
  failures_ = 0;  // only now it has shown that it is what it seems
  if (std::exchange(silent_, false)) driver_.on_reach_changed(now);
  const std::uint64_t generation = generation_;
  health_.on_reply(*read, answered.at, now);  // before its vote counts (D4)
  answered.q.from->on_settled(answered.q.command, *read, now);
  if (generation != generation_) return;
  if (read->answer == answer::replica) {
    // It was a master when it was set up: the name may lead to another server by now.
    fail("not a master any more: " + std::string(read->text), answer::replica, now);
  } else if (answered.q.what == script::enroll && read->answer == answer::denied) {
    // As at set-up: else a guard that only the enrolment ends would never end, nor say why.
    fail("the key redlock-node: " + std::string(read->text), answer::denied, now);
  }
}

// What the node did not execute, in another form.
void node::ask_again(const queued& q, bool by_text, core::time_point now) noexcept {
  if (!q.from->wants(q.command, now)) {
    q.from->on_settled(q.command, {.answer = answer::unsent}, now);
    return;
  }
  append(q, by_text, now);
  driver_.on_queued();
}

void node::on_role(const redisReply& reply, core::time_point now) noexcept {
  if (reply.type == REDIS_REPLY_ERROR) {
    // Without the right to ask any more: connect again, as to one that does not tell who it is.
    const std::string said(text_of(reply));
    if (classify_error(said) == answer::denied) fail("INFO: " + said, answer::unreachable, now);
    return;
  }
  identity seen;
  seen.read(text_of(reply));
  if (seen.role.empty()) {
    fail("the server's reply does not belong to the command", answer::unreachable, now);
    return;
  }
  const bool promoted = seen.promoted && seen.replid != self_.replid;
  self_.read(text_of(reply));
  if (suits(now) && promoted) health_.on_promoted(self_, now);
}

void node::listen(core::time_point now) noexcept {
  if (is_up() && next_address_ > 0) listener_.start(addresses_[next_address_ - 1], who_, now);
}

notice node::status() const {
  notice n;
  node_status& s = n.status;
  s.node = name_;
  s.state = is_up()                                             ? node_state::up
            : absence_ == answer::denied                        ? node_state::denied
            : absence_ == answer::duplicate                     ? node_state::duplicate
            : absence_ == answer::replica                       ? node_state::replica
            : state_ == state::resting || state_ == state::idle ? node_state::down
                                                                : node_state::connecting;
  s.latency = latency_;
  s.connects = connects_;
  s.pending = pending_.size();
  s.verified = self_.is_verified();
  s.last_error = last_error_.empty() ? listener_.last_error() : last_error_;
  const core::guard::standing standing = health_.guard().at(driver_.max_ttl());
  s.guard = is_up() ? standing.why : node_guard::none;
  n.guarded_until = standing.until;
  return n;
}

void node::publish() const { driver_.publish(id_, status()); }

}  // namespace redlock::io
