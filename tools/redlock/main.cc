// The command-line tool: from the command line to the function that does it, and from whatever
// stops it to a line on standard error and an exit code.

#include <exception>
#include <system_error>
#include <variant>

#include "command_line.h"
#include "complaint.h"
#include "exit_code.h"
#include "redlock/failure.h"
#include "request.h"
#include "text.h"

namespace {

using namespace redlock::tool;

struct perform {
  int operator()(const text_request& r) const { return print(r.text), exit_code::ok; }
  int operator()(const run_request& r) const { return run(r); }
  int operator()(const acquire_request& r) const { return acquire(r); }
  int operator()(const renew_request& r) const { return renew(r); }
  int operator()(const release_request& r) const { return release(r); }
  int operator()(const status_request& r) const { return status(r); }
  int operator()(const sandbox_request& r) const { return sandbox(r); }
};

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  try {
    return std::visit(perform{}, parse_command_line(argc, argv));
  } catch (const failed& e) {
    warn(e.what());
    return e.code();
  } catch (const redlock::lock_error& e) {
    warn(complaint(e.why()));
    return exit_code_of(e.why().code());
  } catch (const std::system_error& e) {
    warn(e.what());
    return exit_code::system;
  } catch (const std::exception& e) {
    warn(e.what());
    return exit_code::internal;
  }
}
