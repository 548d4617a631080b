// sink: whoever sends commands to nodes and wants their answers.

#ifndef REDLOCK_LIB_IO_SINK_H
#define REDLOCK_LIB_IO_SINK_H

#include "core/types.h"
#include "io/wire.h"

namespace redlock::io {

// Called on the loop thread only. A sink must live until every command it sent has come to
// on_settled(), which happens exactly once for each, never inside the call that sent it.
class sink {
 public:
  // Asked right before a command is written, and again before one that the node did not know is
  // written a second time: a command that is no longer wanted is never sent.
  [[nodiscard]] virtual bool wants(const core::command& c, core::time_point now) noexcept = 0;

  // What to write for it. The views are used before anything else is called.
  [[nodiscard]] virtual script_call call(const core::command& c) noexcept = 0;

  // What became of it: the node's reply, `unreachable` or `unsent` (types.h).
  virtual void on_settled(const core::command& c, const node_reply& r,
                          core::time_point now) noexcept = 0;

 protected:
  ~sink() = default;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_SINK_H
