// How a listener gets its connection, and what comes on it.

#include "io/listener.h"

#include <hiredis/hiredis.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "io/driver.h"
#include "io/uv_handle.h"

namespace redlock::io {
namespace {

// A connection that has died without a sign is found out within two of these.
constexpr core::nanoseconds ping_every = core::milliseconds{5000};

constexpr core::nanoseconds rest_min = core::milliseconds{10};
constexpr core::nanoseconds rest_max = core::milliseconds{1000};

}  // namespace

void listener::poll_closer::operator()(uv_poll_s* handle) const noexcept {
  uv_closer<uv_poll_t>{}(handle);
}

listener::~listener() { driver_.timers().clear(*this); }

void listener::start(const address& where, const credentials& who, core::time_point now) noexcept {
  if (state_ != state::off) return;
  where_ = where;
  who_ = who;
  failures_ = 0;
  connect(now);
}

void listener::stop() noexcept {
  disconnect();
  state_ = state::off;
  driver_.timers().clear(*this);
}

void listener::connect(core::time_point now) noexcept {
  disconnect();
  state_ = state::connecting;
  driver_.timers().set(*this, now + driver_.config().connect_timeout);
  if (const int error = stream_.connect(where_); error != 0) {
    rest(std::string("cannot connect: ") + std::strerror(error), false, now);
    return;
  }
  auto handle = std::make_unique<uv_poll_t>();
  handle->data = this;
  const bool watched = uv_poll_init(driver_.loop(), handle.get(), stream_.fd()) == 0;
  if (watched) poll_.reset(handle.release());  // from here on the loop must close it
  if (!watched || !watch(UV_WRITABLE)) rest("cannot watch the socket", false, now);
}

bool listener::watch(int events) noexcept {
  return uv_poll_start(poll_.get(), events, [](uv_poll_t* handle, int status, int /*seen*/) {
           if (handle->data != nullptr) static_cast<listener*>(handle->data)->on_poll(status);
         }) == 0;
}

void listener::on_poll(int status) noexcept {
  const core::time_point now = clock::now();
  const std::uint64_t generation = generation_;
  driver_.expire(now);  // first of all, what has run out meanwhile (C4)
  if (generation != generation_) return;
  if (status < 0) {
    rest(std::string("connection broken: ") + uv_strerror(status), false, now);
  } else if (state_ == state::connecting) {
    greet(now);
  } else {
    read(now);
  }
}

void listener::greet(core::time_point now) {
  if (const int error = stream_.connect_error(); error != 0) {
    rest(std::string("cannot connect: ") + std::strerror(error), false, now);
    return;
  }
  state_ = state::greeting;
  reader_ = std::make_unique<reader>();
  std::string out;
  if (!who_.password.empty() && who_.username.empty()) {
    append_command(out, {"AUTH", who_.password});
  } else if (!who_.password.empty()) {
    append_command(out, {"AUTH", who_.username, who_.password});
  }
  append_command(out, {"CLIENT", "SETNAME", driver_.config().connection_name});
  append_command(out, {"SUBSCRIBE", "redlock-wake:" + driver_.channel()});
  if (!send(out) || !watch(UV_READABLE)) rest("cannot use the socket", false, now);
}

// A few bytes into an empty socket: it takes all of them, or is broken.
bool listener::send(std::string_view bytes) noexcept {
  return stream_.send(bytes) == static_cast<std::ptrdiff_t>(bytes.size());
}

void listener::read(core::time_point now) noexcept {
  std::array<char, std::size_t{4} * 1024> bytes;
  const std::ptrdiff_t got = stream_.receive(bytes);
  if (got == -EAGAIN) return;
  if (got <= 0) {
    rest("the server closed the connection", false, now);
    return;
  }
  heard_ = true;
  reader_->feed(std::string_view(bytes.data(), static_cast<std::size_t>(got)));
  const std::uint64_t generation = generation_;
  while (generation == generation_) {
    const reply_ptr reply = reader_->next();
    if (!reader_->error().empty()) {
      rest(reader_->error(), false, now);
    } else if (reply == nullptr) {
      return;
    } else {
      on_reply(*reply, now);
    }
  }
}

void listener::on_reply(const redisReply& reply, core::time_point now) noexcept {
  if (reply.type == REDIS_REPLY_ARRAY) {
    on_message(reply, now);
  } else if (reply.type == REDIS_REPLY_ERROR && state_ == state::greeting) {
    const std::string said(text_of(reply));
    const bool only_the_name = said.find("setname") != said.npos;  // without it, it is as good
    if (!only_the_name) rest(said, classify_error(said) == answer::denied, now);
  }
}

void listener::on_message(const redisReply& reply, core::time_point now) noexcept {
  if (reply.elements != 3) return;  // to a PING
  const std::string_view kind = text_of(*reply.element[0]);
  if (kind == "subscribe" && state_ == state::greeting) {
    state_ = state::listening;
    failures_ = 0;
    last_error_.clear();
    driver_.timers().set(*this, now + ping_every);
    driver_.node_at(node_).publish();
    driver_.on_reach_changed(now);
  } else if (kind == "message") {
    if (const auto t = read_turn(text_of(*reply.element[2]))) driver_.on_turn(*t, now);
  }
}

void listener::rest(std::string why, bool for_good, core::time_point now) noexcept {
  const bool listened = is_listening();
  disconnect();
  state_ = state::resting;
  last_error_ = "wake-ups: " + std::move(why);
  const auto longest = std::min(rest_max, rest_min * (1 << std::min(failures_++, 7U)));
  const core::nanoseconds pause = core::between(longest / 2, longest, driver_.random());
  driver_.timers().set(*this, for_good ? core::never : now + pause);
  driver_.node_at(node_).publish();
  if (listened) driver_.on_reach_changed(now);
}

void listener::disconnect() noexcept {
  ++generation_;
  poll_.reset();
  stream_.close();
  reader_.reset();
}

void listener::on_time(core::time_point now) noexcept {
  if (state_ == state::resting) {
    connect(now);
  } else if (state_ != state::listening) {
    rest("the server did not answer in time", false, now);
  } else {
    ping(now);
  }
}

void listener::ping(core::time_point now) noexcept {
  std::string out;
  append_command(out, {"PING"});
  if (!std::exchange(heard_, false)) {
    rest("the server has stopped answering", false, now);
  } else if (!send(out)) {
    rest("write failed", false, now);
  } else {
    driver_.timers().set(*this, now + ping_every);
  }
}

}  // namespace redlock::io
