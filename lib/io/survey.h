// survey: one question to all nodes, who holds a resource. Ends when all have answered, or in time.

#ifndef REDLOCK_LIB_IO_SURVEY_H
#define REDLOCK_LIB_IO_SURVEY_H

#include <functional>
#include <string>

#include "io/schedule.h"
#include "io/sink.h"
#include "redlock/result.h"
#include "redlock/status.h"

namespace redlock::io {

class driver;

// Lives on the loop thread, owned by the driver, until every command it sent is settled.
class survey final : public sink, public timer {
 public:
  using callback = std::function<void(result<holdings>)>;

  survey(driver& where, std::string key, callback then);
  survey(const survey&) = delete;
  survey& operator=(const survey&) = delete;
  ~survey();

  void start(core::time_point now) noexcept;
  void close() noexcept;  // ends it with errc::shut_down
  [[nodiscard]] bool is_finished() const noexcept { return ended_ && pending_ == 0; }

  // The driver's: where it is in its list, and whether it is to be taken off.
  std::size_t place = 0;
  bool retired = false;

 private:
  bool wants(const core::command&, core::time_point) noexcept override { return !ended_; }
  script_call call(const core::command&) noexcept override { return {.key = key_}; }
  void on_settled(const core::command& c, const node_reply& r,
                  core::time_point now) noexcept override;
  void on_time(core::time_point now) noexcept override;
  void end() noexcept;
  void count() noexcept;

  driver& driver_;
  const std::string key_;
  callback then_;
  holdings found_;
  std::size_t pending_ = 0;
  bool ended_ = false;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_SURVEY_H
