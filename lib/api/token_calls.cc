// Checks the token, and starts.

#include "api/token_calls.h"

#include <algorithm>
#include <utility>

#include "api/lease_state.h"
#include "api/validate.h"
#include "io/random.h"
#include "io/token.h"

namespace redlock::detail {
namespace {

// Holds nothing: only wants to hear how the release of a token went.
class released_token final : public io::owner {
 public:
  released_token(std::shared_ptr<runtime> where, waiter<void> w) noexcept
      : runtime_(std::move(where)), waiter_(w) {}

 private:
  void on_acquired(std::string_view, core::time_point) noexcept override {}
  void on_gave_up(failure why) noexcept override { end(std::move(why)); }
  bool is_held() const noexcept override { return false; }
  bool is_detached() const noexcept override { return false; }
  bool on_renewed(core::time_point) noexcept override { return false; }
  void on_renew_failed(failure) noexcept override {}
  void on_nodes_held(std::size_t) noexcept override {}
  void on_expiring() noexcept override {}
  bool on_lost(failure) noexcept override { return true; }
  bool on_closing() noexcept override { return true; }
  void on_retired() noexcept override { end(errc::shut_down); }

  void on_released(bool confirmed, failure why) noexcept override {
    const auto nodes = why.nodes();
    const bool had_it = std::any_of(nodes.begin(), nodes.end(), [](const node_answer& n) {
      return n.answer == answer::granted;
    });
    if (!confirmed) {
      end(std::move(why));
    } else if (had_it) {
      end({});
    } else {
      end(failure(errc::lost, {}, {nodes.begin(), nodes.end()}, "no node that answered had it"));
    }
  }

  void end(result<void> r) {
    if (std::exchange(ended_, true)) return;
    runtime_->deliver(waiter_, std::move(r));
  }

  const std::shared_ptr<runtime> runtime_;
  const waiter<void> waiter_;
  bool ended_ = false;
};

}  // namespace

adopt_call::adopt_call(std::shared_ptr<runtime> where, std::string resource, std::string token,
                       lock_options o) noexcept
    : runtime_(std::move(where)),
      resource_(std::move(resource)),
      token_(std::move(token)),
      options_(std::move(o)) {}

void adopt_call::start(completion<lease>& whom, delivery how) noexcept {
  const waiter<lease> w{&whom, how};
  const auto parts = io::parse_token(token_);
  auto terms = terms_of(runtime_->options(), options_);
  if (auto ok = check_resource(runtime_->options().key_prefix, resource_); !ok) {
    runtime_->deliver(w, result<lease>(ok.error()));
  } else if (!parts) {
    runtime_->deliver(w, result<lease>(failure(errc::invalid_argument,
                                               "the token is not one that a lease has given")));
  } else if (!terms) {
    runtime_->deliver(w, result<lease>(terms.error()));
  } else if (options_.stop.stop_requested()) {
    runtime_->deliver(w, result<lease>(errc::cancelled));
  } else {
    const lease_state::origin from{parts->base, parts->attempt, std::move(token_)};
    std::make_shared<lease_state>(runtime_, std::move(resource_))
        ->acquire(*terms, from, std::move(options_.stop), w);
  }
}

release_call::release_call(std::shared_ptr<runtime> where, std::string resource,
                           std::string token) noexcept
    : runtime_(std::move(where)), resource_(std::move(resource)), token_(std::move(token)) {}

void release_call::start(completion<void>& whom, delivery how) noexcept {
  const waiter<void> w{&whom, how};
  if (auto ok = check_resource(runtime_->options().key_prefix, resource_); !ok) {
    runtime_->deliver(w, result<void>(ok.error()));
    return;
  }
  if (token_.empty() || token_.size() > token_bytes_max) {
    runtime_->deliver(w, result<void>(failure(errc::invalid_argument,
                                              "the token is empty or has more than 512 bytes")));
    return;
  }
  const bool taken = runtime_->driver().post([rt = runtime_, r = resource_, t = token_, w] {
    if (rt->driver().is_closing()) {
      rt->deliver(w, result<void>(errc::shut_down));
      return;
    }
    const lock_options longest{.ttl = rt->options().max_ttl, .renewal = renewal::manual()};
    const auto terms = terms_of(rt->options(), longest);
    if (!terms) {
      rt->deliver(w, result<void>(terms.error()));
      return;
    }
    io::ticket* ticket = rt->driver().open(*terms, io::draw_base(), rt->options().key_prefix + r, t,
                                           std::make_shared<released_token>(rt, w));
    if (ticket == nullptr) {
      rt->deliver(w, result<void>(failure(errc::overloaded,
                                          "options::max_leases operations and leases at once")));
      return;
    }
    ticket->take_back(1, clock::now());
  });
  if (!taken) runtime_->deliver(w, result<void>(errc::shut_down));
}

}  // namespace redlock::detail
