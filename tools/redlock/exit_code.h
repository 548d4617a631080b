// The exit codes of the command-line tool, and the exception that ends it with one of them. Scripts
// branch on these numbers; the man page lists them.

#ifndef REDLOCK_TOOLS_EXIT_CODE_H
#define REDLOCK_TOOLS_EXIT_CODE_H

#include <stdexcept>
#include <string>

#include "redlock/failure.h"

namespace redlock::tool {

namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int declined = 1;  // release --force: whoever was asked did not agree
inline constexpr int not_held = 1;  // status: no quorum holds some resource
inline constexpr int usage = 64;    // the command line or REDLOCK_NODES is wrong; nothing was sent
inline constexpr int unavailable = 69;  // no quorum answered, or too late; no server program
inline constexpr int internal = 70;
inline constexpr int system = 71;         // the system refused a process, a thread, a file
inline constexpr int output = 73;         // output could not be written
inline constexpr int lost = 74;           // run: while CMD ran; renew, release: before
inline constexpr int not_acquired = 75;   // run, acquire: others hold the lock
inline constexpr int misconfigured = 78;  // so many nodes are misconfigured that no quorum can be
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
inline constexpr int signal_base = 128;  // + n: ended by signal n
}  // namespace exit_code

// Ends the tool: the text goes to standard error, the code to whoever started it.
class failed : public std::runtime_error {
 public:
  failed(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

// `failed` with the system's words for errno, which must still be that of the failed call.
[[nodiscard]] failed system_failure(const std::string& what);

// The exit code that stands for a failure of the library.
[[nodiscard]] int exit_code_of(errc code) noexcept;

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_EXIT_CODE_H
