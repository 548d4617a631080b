// The lock_manager: checks what it is asked for and hands it to the driver.

#include "redlock/lock_manager.h"

#include "api/lease_state.h"
#include "api/runtime.h"
#include "api/token_calls.h"
#include "api/validate.h"

namespace redlock {
namespace {

using detail::completion;
using detail::delivery;
using detail::runtime;

// Arguments are copied: an operation may start long after the call that made it.
class acquire_call final : public detail::starter<lease> {
 public:
  acquire_call(std::shared_ptr<runtime> where, std::string resource, lock_options o) noexcept
      : runtime_(std::move(where)), resource_(std::move(resource)), options_(std::move(o)) {}

  void start(completion<lease>& whom, delivery how) noexcept override {
    const detail::waiter<lease> w{&whom, how};
    if (auto ok = detail::check_resource(runtime_->options().key_prefix, resource_); !ok) {
      runtime_->deliver(w, result<lease>(ok.error()));
      return;
    }
    auto terms = detail::terms_of(runtime_->options(), options_);
    if (!terms) {
      runtime_->deliver(w, result<lease>(terms.error()));
    } else if (options_.stop.stop_requested()) {
      runtime_->deliver(w, result<lease>(errc::cancelled));
    } else {
      std::make_shared<detail::lease_state>(runtime_, std::move(resource_))
          ->acquire(*terms, {}, options_.stop, w);
    }
  }

 private:
  std::shared_ptr<runtime> runtime_;
  std::string resource_;
  lock_options options_;
};

class inspect_call final : public detail::starter<holdings> {
 public:
  inspect_call(std::shared_ptr<runtime> where, std::string resource) noexcept
      : runtime_(std::move(where)), resource_(std::move(resource)) {}

  void start(completion<holdings>& whom, delivery how) noexcept override {
    const detail::waiter<holdings> w{&whom, how};
    if (auto ok = detail::check_resource(runtime_->options().key_prefix, resource_); !ok) {
      runtime_->deliver(w, result<holdings>(ok.error()));
      return;
    }
    const bool taken = runtime_->driver().post([rt = runtime_, resource = resource_, w] {
      if (rt->driver().is_closing()) {
        rt->deliver(w, result<holdings>(errc::shut_down));
        return;
      }
      rt->driver().inspect(rt->options().key_prefix + resource,
                           [rt = rt.get(), w](auto found) { rt->deliver(w, std::move(found)); });
    });
    if (!taken) runtime_->deliver(w, result<holdings>(errc::shut_down));
  }

 private:
  std::shared_ptr<runtime> runtime_;
  std::string resource_;
};

class close_call final : public detail::starter<void> {
 public:
  explicit close_call(std::shared_ptr<runtime> where) noexcept : runtime_(std::move(where)) {}
  void start(completion<void>& whom, delivery how) noexcept override {
    runtime_->close({&whom, how});
  }

 private:
  std::shared_ptr<runtime> runtime_;
};

// Asks, when the operation starts, whether this is a forked child: there nothing of the parent's
// may be touched.
template <class T, class Call>
class guarded_call final : public detail::starter<T> {
 public:
  template <class... Arguments>
  explicit guarded_call(std::shared_ptr<runtime> where, Arguments&&... arguments)
      : runtime_(where), call_(std::move(where), std::forward<Arguments>(arguments)...) {}

  void start(completion<T>& whom, delivery how) noexcept override {
    if (runtime_->in_child()) {
      detail::deliver_without_runtime<T>(
          whom, how, failure(errc::shut_down, "made before fork(): make a new one in the child"));
    } else {
      call_.start(whom, how);
    }
  }
  [[nodiscard]] bool would_deadlock() const noexcept override { return runtime_->is_loop_thread(); }

 private:
  std::shared_ptr<runtime> runtime_;
  Call call_;
};

template <class T, class Call, class... Arguments>
operation<T> call(const std::shared_ptr<runtime>& where, Arguments&&... arguments) {
  return operation<T>(
      std::make_unique<guarded_call<T, Call>>(where, std::forward<Arguments>(arguments)...));
}

}  // namespace

lock_manager::lock_manager(options o) : runtime_(std::make_shared<runtime>(std::move(o))) {
  runtime_->start();
}

lock_manager::~lock_manager() {
  if (runtime_->in_child()) {
    // Left alone on purpose: its threads are not here, its sockets are the parent's.
    static_cast<void>(new (std::nothrow) std::shared_ptr<runtime>(std::move(runtime_)));
    return;
  }
  runtime_->stop();
}

result<lease> lock_manager::acquire(std::string_view resource, const lock_options& o) {
  return acquire_async(resource, o).get();
}

operation<lease> lock_manager::acquire_async(std::string_view resource, const lock_options& o) {
  return call<lease, acquire_call>(runtime_, std::string(resource), o);
}

result<lease> lock_manager::adopt(std::string_view resource, std::string_view token,
                                  const lock_options& o) {
  return adopt_async(resource, token, o).get();
}

operation<lease> lock_manager::adopt_async(std::string_view resource, std::string_view token,
                                           const lock_options& o) {
  return call<lease, detail::adopt_call>(runtime_, std::string(resource), std::string(token), o);
}

result<void> lock_manager::release(std::string_view resource, std::string_view token) {
  return release_async(resource, token).get();
}

operation<void> lock_manager::release_async(std::string_view resource, std::string_view token) {
  return call<void, detail::release_call>(runtime_, std::string(resource), std::string(token));
}

result<holdings> lock_manager::inspect(std::string_view resource) {
  return inspect_async(resource).get();
}

operation<holdings> lock_manager::inspect_async(std::string_view resource) {
  return call<holdings, inspect_call>(runtime_, std::string(resource));
}

std::vector<node_status> lock_manager::nodes() const {
  if (runtime_->in_child()) return {};
  return runtime_->driver().status();
}

bool lock_manager::is_called_on_its_loop() const noexcept { return runtime_->is_loop_thread(); }

operation<void> lock_manager::close() { return call<void, close_call>(runtime_); }

}  // namespace redlock
