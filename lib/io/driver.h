// driver: the loop, and everything that lives on it. One thread runs it; the others reach it
// through its inbox. The loop is its own, or the user's. Decides nothing about locks.

#ifndef REDLOCK_LIB_IO_DRIVER_H
#define REDLOCK_LIB_IO_DRIVER_H

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/claim.h"
#include "core/guard.h"
#include "core/hold_times.h"
#include "io/alarm.h"
#include "io/inbox.h"
#include "io/lines.h"
#include "io/node.h"
#include "io/schedule.h"
#include "io/settings.h"
#include "io/survey.h"
#include "io/ticket.h"

struct uv_async_s;
struct uv_loop_s;
struct uv_prepare_s;

namespace redlock::io {

// What nodes() tells of a node: as it was when it last changed, and what the clock adds to it.
struct notice {
  node_status status;
  core::time_point guarded_until{};
};

class driver final : private timer {
 public:
  // Throws std::system_error if the system gives no descriptor.
  explicit driver(settings s);
  driver(const driver&) = delete;
  driver& operator=(const driver&) = delete;
  // On whichever thread, after run() has returned or `gone` was called, or if neither began.
  ~driver();

  // A loop of its own: the loop thread, which returns once close() is through.
  void run() noexcept;

  // The user's loop: on its thread, before or while it runs. Once close() is through, and nothing
  // is left on the loop, `gone` is called there; it may destroy the driver.
  void start(void (*gone)(void* context) noexcept, void* context) noexcept;

  // The thread-safe part.

  // What is posted runs on the loop thread; false once the driver is closed.
  template <class F>
  bool post(F f) {
    return mail_->post(std::move(f));
  }

  [[nodiscard]] std::vector<node_status> status() const;
  [[nodiscard]] const settings& config() const noexcept { return settings_; }

  // The loop thread's part.

  // Null if there are max_leases already. REQUIRES: not is_closing().
  [[nodiscard]] ticket* open(core::terms t, const core::base& who, std::string key,
                             std::string token, std::shared_ptr<owner> whose);
  void inspect(std::string key, survey::callback then);

  // Ends everything: waiting, leases (signal, then release), and, once the releases are answered or
  // one node time-out has passed, the loop.
  void close(core::time_point now);

  // Writes what is queued now, and not at the end of this turn.
  void flush(core::time_point now) noexcept;

  // For what lives on the loop.
  [[nodiscard]] uv_loop_s* loop() noexcept { return loop_; }
  [[nodiscard]] const std::shared_ptr<inbox>& mail() noexcept { return mail_; }
  [[nodiscard]] schedule& timers() noexcept { return timers_; }
  [[nodiscard]] core::outbox& outbox() noexcept { return outbox_; }
  [[nodiscard]] node& node_at(core::node_id n) noexcept { return *nodes_[n]; }
  [[nodiscard]] core::reach reach() const noexcept;
  // Who keeps the queue of that lock, as things are.
  [[nodiscard]] std::optional<core::node_id> lead_of(std::string_view key) const noexcept;
  // Where all processes hear of their turns; ours.
  [[nodiscard]] const std::string& channel() const noexcept { return channel_; }
  [[nodiscard]] bool listens() const noexcept { return listens_; }
  void listen(core::time_point now) noexcept;
  void on_turn(const turn& t, core::time_point now) noexcept;
  [[nodiscard]] lines& waiters() noexcept { return lines_; }
  [[nodiscard]] core::milliseconds max_ttl() const noexcept { return max_ttl_; }  // of any client
  [[nodiscard]] std::uint64_t random() noexcept;

  // The node before n in the list that is the same server, or one behind it that is and is up; or
  // null.
  [[nodiscard]] const node* first_of_server(core::node_id n) const noexcept;
  [[nodiscard]] node* next_of_server(core::node_id n) noexcept;

  void expire(core::time_point now) noexcept;  // wakes what is due
  void on_queued() noexcept { queued_ = true; }
  void write_first(core::node_id n) noexcept { write_first_ = n; }
  [[nodiscard]] bool is_closing() const noexcept { return phase_ != phase::open; }
  // Of a key that an adaptive acquire has asked for.
  [[nodiscard]] core::hold_times& holds_of(const std::string& key);
  void on_reach_changed(core::time_point now) noexcept;
  void on_guard_changed(core::node_id n, core::time_point now) noexcept;
  void on_step(core::node_id n, core::time_point now) noexcept;  // n's clock went forward (D4)
  void compare_clocks(core::time_point now) noexcept;
  void on_max_ttl(core::milliseconds seen, core::time_point now) noexcept;
  void on_over() noexcept { --active_; }
  void on_left(lines::entry& line) { lines_.on_left(line); }
  void on_ended(ticket& t) noexcept;  // only releases are left of it
  void retire(ticket& t) noexcept;    // at the end of this turn
  void retire(survey& s) noexcept;
  void publish(core::node_id n, notice s);
  void publish_load(core::node_id n, core::nanoseconds latency, std::size_t pending) noexcept;

 private:
  struct loop_deleter {
    void operator()(uv_loop_s* loop) const noexcept;
  };
  struct async_closer {
    void operator()(uv_async_s* handle) const noexcept;
  };
  struct prepare_closer {
    void operator()(uv_prepare_s* handle) const noexcept;
  };

  void start_nodes() noexcept;
  void on_turn_end() noexcept;
  void on_time(core::time_point now) noexcept override;
  void bury() noexcept;
  [[nodiscard]] bool is_quiet() const noexcept;
  void finish(core::time_point now) noexcept;
  void close_wake() noexcept;

  const settings settings_;
  std::unique_ptr<uv_loop_s, loop_deleter> own_loop_;  // null: it is the user's
  uv_loop_s* loop_;
  std::shared_ptr<inbox> mail_ = std::make_shared<inbox>();
  std::unique_ptr<uv_async_s, async_closer> wake_;
  std::unique_ptr<uv_prepare_s, prepare_closer> turn_end_;
  std::unique_ptr<alarm> alarm_;
  schedule timers_;
  core::outbox outbox_;
  std::uint64_t random_ = 0;

  core::milliseconds max_ttl_;  // the largest seen (D6)
  const std::string channel_;
  bool listens_ = false;  // somebody has waited

  std::vector<std::unique_ptr<node>> nodes_;
  std::vector<std::unique_ptr<ticket>> tickets_;
  std::size_t active_ = 0;  // of these, those under way or held
  std::vector<std::unique_ptr<survey>> surveys_;
  std::vector<ticket*> finished_tickets_;
  std::vector<survey*> finished_surveys_;
  lines lines_;
  std::unordered_map<std::string, core::hold_times> holds_;  // at most holds_max (driver.cc)
  core::node_id write_first_ = 0;
  bool queued_ = false;  // a node has commands to be written at the end of this turn

  enum class phase : std::uint8_t { open, signalling, releasing, closed };
  phase phase_ = phase::open;
  core::time_point close_by_{};
  void (*gone_)(void* context) noexcept = nullptr;
  void* gone_context_ = nullptr;

  mutable std::mutex board_mutex_;
  std::vector<notice> board_;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_DRIVER_H
