// spawn: one fork and exec, fit for a process with threads. Waiting for the child is its caller's.

#ifndef REDLOCK_TOOLS_SPAWN_H
#define REDLOCK_TOOLS_SPAWN_H

#include <sys/types.h>

#include <string>

#include "program.h"

namespace redlock::tool {

// What the child is part of. `group` keeps the terminal within reach and the terminal's signals
// away; `session` has no terminal at all.
enum class belonging : bool { group, session };

struct spawn_options {
  belonging own = belonging::group;  // the child leads a new one of these
  int death_signal = 0;              // the child gets it when we die, however we die
  std::string output = {};           // a file for its output, with no input; empty: ours
};

// Starts the program with no signal blocked and all at their defaults, but that SIGHUP stays
// ignored if it is now. Returns once the program runs. Throws failed if it cannot be run:
// not_executable, not_found, system.
//
// REQUIRES: the main thread. The kernel takes the death of the thread that forked for ours.
[[nodiscard]] pid_t spawn(const program& what, const spawn_options& o);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_SPAWN_H
