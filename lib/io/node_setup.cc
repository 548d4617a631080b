// How a connection that stands becomes one to a node: what is asked and told first on each, and who
// is taken for a node (D1, D2, D3, D6).

#include <hiredis/hiredis.h>

#include "io/driver.h"
#include "io/node.h"

namespace redlock::io {

// The steps, pipelined. on_setup_reply() counts their replies in this order.
void node::write_setup(core::time_point now) {
  setup_sent_ = now;
  if (who_.password.empty()) {
    append_command(out_, {"PING"});  // asks whether a password is needed
  } else if (who_.username.empty()) {
    append_command(out_, {"AUTH", who_.password});
  } else {
    append_command(out_, {"AUTH", who_.username, who_.password});
  }
  append_command(out_, {"SELECT", std::to_string(where_.database)});
  append_command(out_, {"CLIENT", "SETNAME", driver_.config().connection_name});
  append_command(out_, {"INFO", "server"});
  append_command(out_, {"INFO", "replication"});
  for (const script s : scripts) append_command(out_, {"SCRIPT", "LOAD", text_of(s)});
  append_call(out_, health_.enrolment(), {}, 0);
  const std::string no_queue = "redlock-queue:" + driver_.config().key_prefix;
  script_call queues;
  queues.what = script::probe;
  queues.queue = no_queue;
  append_call(out_, queues, {}, 0);
  if (where_.durable) append_command(out_, {"CONFIG", "GET", "*append*"});
  durable_ = where_.durable;
}

void node::on_setup_reply(const redisReply& reply, core::time_point now) noexcept {
  enum : std::size_t {
    auth,
    select,
    title,
    server,
    replication,
    load,
    enroll = load + scripts.size(),
    probe,
    config,
  };
  const std::size_t step = steps_done_++;
  const bool error = reply.type == REDIS_REPLY_ERROR;
  if (step <= select && error) {
    const std::string said(text_of(reply));
    const bool for_good = classify_error(said) == answer::denied;
    fail((step == auth ? "authentication: " : "SELECT: ") + said,
         for_good ? answer::denied : answer::unreachable, now);
    return;
  }
  if (step <= select && (reply.type != REDIS_REPLY_STATUS)) {
    fail("this is not a Redis server: " + std::string(text_of(reply)), answer::unreachable, now);
    return;
  }
  if (step == server) self_ = {};
  if (step == server || step == replication) {
    if (!error) {
      self_.read(text_of(reply));
    } else if (classify_error(text_of(reply)) != answer::denied) {  // but without the right to ask
      fail("INFO: " + std::string(text_of(reply)), answer::unreachable, now);
      return;
    }
  }
  if (step == replication && !suits(now)) return;
  if (step < load) return;  // without a name, or a look at INFO, the connection is as good
  // Without the right to load, or when it is too busy to, every call sends the text.
  if (step < enroll) {
    const bool loaded = !error && text_of(reply).size() == 40;
    digests_[step - load] = loaded ? std::string(text_of(reply)) : "";
    return;
  }
  if (step == enroll && !read_enrolment(reply, now)) return;
  if (step == probe) check_queues(reply);
  if (step == config) check_durable(reply);
  if (step == (where_.durable ? config : probe) && admit(now)) come_up(now);
}

// Whether the set-up goes on: with our max_ttl enrolled (D6), or with an error that may pass. While
// that lasts the node has no vote on acquires, and gets all other commands.
bool node::read_enrolment(const redisReply& reply, core::time_point now) noexcept {
  const std::optional<node_reply> read = read_reply(script::enroll, core::queueing::none, 0, reply);
  if (!read) {
    fail("this is not a Redis server: it does not answer a script", answer::unreachable, now);
    return false;
  }
  if (read->answer == answer::denied || read->answer == answer::replica) {
    fail("the key redlock-node: " + std::string(read->text), read->answer, now);
    return false;
  }
  const bool passing = read->answer != answer::granted;
  if (passing) last_error_ = "the key redlock-node: " + std::string(read->text);
  enrolled_ = *read;
  enrolled_.text = {};  // it ends with the reply
  enrolled_at_ = now;
  return true;
}

// Where the user has no right to them, there is no order among those who wait. An error that passes
// costs turns while it lasts.
void node::check_queues(const redisReply& reply) noexcept {
  const auto read = read_reply(script::probe, core::queueing::none, 0, reply);
  denies_queues_ = read && read->answer == answer::denied;
  if (denies_queues_) last_error_ = "the fair queue: " + std::string(text_of(reply));
}

// The operator's word counts, unless the server says otherwise (D3); one that does not let us ask
// says nothing.
void node::check_durable(const redisReply& reply) noexcept {
  for (std::size_t i = 0; i + 1 < reply.elements; i += 2) {
    const std::string_view name = text_of(*reply.element[i]);
    const std::string_view value = text_of(*reply.element[i + 1]);
    const bool loses = (name == "appendonly" && value != "yes") ||
                       (name == "appendfsync" && value != "always") ||
                       (name == "no-appendfsync-on-rewrite" && value != "no");
    if (!loses) continue;
    durable_ = false;
    last_error_ =
        "it is not durable, as declared: " + std::string(name) + " is " + std::string(value);
  }
}

void node::come_up(core::time_point now) noexcept {
  // First what its votes are worth, then that it takes commands.
  health_.on_set_up(self_, durable_, now);
  health_.on_reply(enrolled_, setup_sent_, enrolled_at_);
  health_.review(now);

  state_ = state::up;
  fresh_ = false;
  absence_ = answer::unreachable;
  ++connects_;
  driver_.timers().clear(*this);
  publish();
  driver_.on_queued();  // what waited for the first set-up
  if (driver_.listens()) listen(now);
  driver_.on_reach_changed(now);
}

// Whether it can be a node, by what it says of itself (D2). One that does not let us ask is taken:
// it is unverified.
bool node::suits(core::time_point now) noexcept {
  if (std::string why = self_.objection(); !why.empty()) {
    fail(std::move(why), answer::denied, now);
  } else if (self_.is_replica()) {
    fail("it is a replica of " + self_.master + ": name the master itself", answer::replica, now);
  } else {
    return true;
  }
  return false;
}

// Takes this server for this node, and for no other (D1), or fails. Whether it has it.
bool node::admit(core::time_point now) noexcept {
  if (const node* first = driver_.first_of_server(id_); first != nullptr) {
    become_duplicate_of(*first, now);
  } else {
    return take_over(now);
  }
  return false;
}

// Takes the server from the nodes behind this one in the list that have it, or rests. No round may
// ask both: what waits here for rounds that the other was asked in is not sent, and while the other
// has commands under way it keeps the server, but not for more than a few tries.
bool node::take_over(core::time_point now) noexcept {
  constexpr std::uint32_t tries = 5;
  while (node* other = driver_.next_of_server(id_)) {
    settle_queued(now);
    const bool busy = !queue_.empty() || !other->queue_.empty() || !other->pending_.empty();
    if (!busy || failures_ >= tries) other->become_duplicate_of(*this, now);
    if (!busy) continue;
    rest("it was connected to as " + other->name_ + ": connecting again", answer::unreachable, now);
    return false;
  }
  return true;
}

void node::become_duplicate_of(const node& first, core::time_point now) noexcept {
  fail("the same server as " + first.name_ + ": it has one vote; every node needs its own server",
       answer::duplicate, now);
}

}  // namespace redlock::io
