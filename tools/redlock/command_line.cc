// The command line in terms of CLI11. All that stands behind the first "--" is taken away before
// CLI11 sees it, so nothing of CMD can be mistaken for an option of ours. Options are read through
// callbacks, and RESOURCE as what is left over, because CLI11 itself gives a meaning to values like
// [a,b] and {}.

#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "duration.h"
#include "exit_code.h"
#include "node_list.h"
#include "redlock/version.h"
#include "text.h"

namespace redlock::tool {
namespace {

using strings = std::vector<std::string>;
using std::chrono::nanoseconds;

// Usage lines of our own: CLI11 knows nothing of what stands behind "--".
class formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string) const override {
    return fmt::format("Usage: {}\n", usage_of(*app));
  }

  static std::string_view usage_of(const CLI::App& app) {
    if (app.get_name() == "run") return "redlock run [OPTIONS] RESOURCE -- CMD [ARGS...]";
    if (app.get_name() == "acquire") return "redlock acquire [OPTIONS] RESOURCE";
    if (app.get_name() == "renew") return "redlock renew [OPTIONS] RESOURCE TOKEN";
    if (app.get_name() == "release") {
      return "redlock release [OPTIONS] RESOURCE TOKEN | --force [--yes] RESOURCE";
    }
    if (app.get_name() == "status") return "redlock status [OPTIONS] RESOURCE...";
    if (app.get_name() == "sandbox") return "redlock sandbox [OPTIONS] [-- CMD [ARGS...]]";
    return "redlock run|acquire|renew|release|status|sandbox [OPTIONS] ...";
  }
};

// An option with one value; the last one counts. `take` may throw std::invalid_argument.
template <class F>
CLI::Option* add_value(CLI::App& app, const std::string& name, F take, const std::string& about) {
  auto* option = app.add_option(
      name,
      [name, take](const CLI::results_t& values) {
        try {
          for (const auto& value : values) take(value);
        } catch (const std::invalid_argument& e) {
          throw CLI::ValidationError(name, e.what());
        }
        return true;
      },
      about);
  return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

// The same, any number of times, with one value each time.
template <class F>
CLI::Option* add_values(CLI::App& app, const std::string& name, F take, const std::string& about) {
  return add_value(app, name, std::move(take), about)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(-1)
      ->allow_extra_args(false);
}

void add_duration(CLI::App& app, const std::string& name, nanoseconds& to, const char* about) {
  add_value(
      app, name, [&to](const std::string& s) { to = parse_duration(s); },
      fmt::format("{} (default {})", about, to_text(to)))
      ->type_name("DURATION");
}

void add_ttl(CLI::App& app, nanoseconds& ttl, nanoseconds& max_ttl) {
  add_duration(app, "--ttl", ttl, "For how long the nodes keep the lock if it is not renewed");
  add_duration(app, "--max-ttl", max_ttl, "The longest --ttl that any client of these nodes uses");
}

void add_guards(CLI::App& app, options& o) {
  app.add_flag_callback(
      "--no-restart-guard", [&o] { o.restart_guard = false; },
      "Let nodes vote that may have forgotten locks in a restart");
  app.add_flag_callback(
      "--no-clock-guard", [&o] { o.clock_guard = false; },
      "Let nodes vote whose clock has jumped ahead");
}

void add_wait(CLI::App& app, nanoseconds& to) {
  add_value(
      app, "--wait",
      [&to](const std::string& s) { to = s == "forever" ? wait_forever : parse_duration(s); },
      "How long to try while others hold the lock: a duration, or forever (default 0: one try)")
      ->type_name("DURATION");
}

void add_policy(CLI::App& app, retry_policy& to) {
  add_value(
      app, "--policy",
      [&to](const std::string& s) {
        if (s == "fixed") {
          to = retry_policy::fixed;
        } else if (s == "exponential") {
          to = retry_policy::exponential;
        } else if (s == "hybrid") {
          to = retry_policy::hybrid;
        } else if (s == "spin") {
          to = retry_policy::spin;
        } else {
          throw std::invalid_argument(
              fmt::format("'{}' is not fixed, exponential, hybrid or spin", s));
        }
      },
      "How to pause between tries: fixed, exponential, hybrid or spin (default hybrid)")
      ->type_name("NAME");
}

void add_nodes(CLI::App& app, strings& to, std::string& password_file) {
  add_values(
      app, "--node", [&to](const std::string& s) { to.push_back(s); },
      fmt::format("A node, redis://[user:password@]host[:port][/db][?durable=1], once for each "
                  "(default: those in {})",
                  nodes_variable))
      ->type_name("URI");
  add_value(
      app, "--password-file", [&password_file](const std::string& s) { password_file = s; },
      "A file whose first line is the password for nodes that are given without one")
      ->type_name("FILE");
}

unsigned parse_node_count(const std::string& s) {
  unsigned n = 0;
  for (const char c : s)
    n = c >= '0' && c <= '9' && n <= nodes_max ? n * 10 + unsigned(c - '0') : 99;
  if (s.empty() || n < 1 || n > nodes_max) {
    throw std::invalid_argument(fmt::format("'{}' is not a number from 1 to {}", s, nodes_max));
  }
  return n;
}

// One per run of the tool: the options, bound to the requests that they fill.
class command_line {
 public:
  command_line() {
    const auto own_usage = std::make_shared<formatter>();
    for (CLI::App* app :
         {&app_, run_app_, acquire_app_, renew_app_, release_app_, status_app_, sandbox_app_}) {
      app->formatter(own_usage);
    }
    app_.set_version_flag("--version", std::string("redlock ") + redlock::version());
    app_.require_subcommand(1);

    run_app_->footer(
        "Exit status: that of CMD (128+n for signal n); 64 usage; 69 no quorum answered in time;\n"
        "74 the lock was lost; 75 others hold it; 78 misconfigured nodes; 126, 127 CMD cannot be\n"
        "run, or found.");
    add_nodes(*run_app_, nodes_, password_file_);
    add_ttl(*run_app_, run_.lock.ttl, run_.nodes.max_ttl);
    add_guards(*run_app_, run_.nodes);
    add_wait(*run_app_, run_.lock.wait);
    add_policy(*run_app_, run_.lock.policy);
    add_duration(*run_app_, "--stop-margin", run_.lock.stop_margin,
                 "How long before the lock would be lost CMD is sent SIGTERM");
    add_duration(*run_app_, "--kill-after", run_.kill_after,
                 "From SIGTERM, sent to CMD when the lock is lost, to SIGKILL");
    add_resources(*run_app_);

    acquire_app_->footer(
        "Prints the token of the lock, which ends after its ttl unless it is renewed.\n"
        "Exit status: 0 acquired; 64 usage; 69 no quorum answered in time; 75 others hold it; 78\n"
        "misconfigured nodes; 128+n ended by signal n while waiting.");
    add_nodes(*acquire_app_, nodes_, password_file_);
    add_ttl(*acquire_app_, acquire_.lock.ttl, acquire_.nodes.max_ttl);
    add_guards(*acquire_app_, acquire_.nodes);
    add_wait(*acquire_app_, acquire_.lock.wait);
    add_policy(*acquire_app_, acquire_.lock.policy);
    acquire_app_->add_flag("--json", acquire_.json, "Print JSON");
    add_resources(*acquire_app_);

    renew_app_->footer(
        "Exit status: 0 renewed; 64 usage; 69 no quorum answered in time; 74 the lock was lost; "
        "78\n"
        "misconfigured nodes.");
    add_nodes(*renew_app_, nodes_, password_file_);
    add_ttl(*renew_app_, renew_.lock.ttl, renew_.nodes.max_ttl);
    add_guards(*renew_app_, renew_.nodes);
    renew_app_->add_flag("--json", renew_.json, "Print JSON");
    add_resources(*renew_app_);

    release_app_->footer(
        "Exit status: 0 released; 1 not agreed to; 64 usage; 69 unconfirmed, for whatever reason;\n"
        "74 the lock had been lost before.");
    add_nodes(*release_app_, nodes_, password_file_);
    release_app_->add_flag("--force", release_.force,
                           "Delete the lock's keys whatever their token; asks first");
    release_app_->add_flag("--yes", release_.yes, "Do not ask");
    add_resources(*release_app_);

    status_app_->footer(
        "Exit status: 0 a quorum holds each RESOURCE; 1 it does not; 64 usage; 69 unknown.");
    add_nodes(*status_app_, nodes_, password_file_);
    status_app_->add_flag("--json", status_.json, "Print JSON");
    add_resources(*status_app_);

    sandbox_app_->footer(
        "Without CMD, a shell. Exit status: that of CMD (128+n for signal n); 64 usage; 69 no\n"
        "server could be started; 126, 127 CMD cannot be run, or found.");
    add_value(
        *sandbox_app_, "-n,--nodes",
        [this](const std::string& s) { sandbox_.nodes = parse_node_count(s); },
        fmt::format("How many (default {})", sandbox_.nodes))
        ->type_name("N");
    sandbox_app_->allow_extras();
  }

  // `own` without the program's name; `behind` is what stands behind "--", if that was there.
  request parse(strings own, bool has_mark, strings behind) {
    if (!own.empty()) check_subcommand(own.front());
    std::reverse(own.begin(), own.end());  // as CLI11 wants it
    try {
      app_.parse(std::move(own));
    } catch (const CLI::CallForHelp&) {
      return text_request{app_.help()};
    } catch (const CLI::CallForVersion& e) {
      return text_request{fmt::format("{}\n", e.what())};
    } catch (const CLI::ParseError& e) {
      refuse(e.what());
    }
    if (run_app_->parsed()) return finish_run(has_mark, std::move(behind));
    if (acquire_app_->parsed()) return finish_acquire(std::move(behind));
    if (renew_app_->parsed()) return finish_renew(std::move(behind));
    if (release_app_->parsed()) return finish_release(std::move(behind));
    if (status_app_->parsed()) return finish_status(std::move(behind));
    return finish_sandbox(has_mark, std::move(behind));
  }

 private:
  void check_subcommand(const std::string& name) const {
    if (name.starts_with('-')) return;
    const auto all = app_.get_subcommands([](const CLI::App*) { return true; });
    if (std::ranges::none_of(all, [&](const CLI::App* a) { return a->get_name() == name; })) {
      refuse(fmt::format("unknown subcommand {}", name));
    }
  }

  // Whoever forgets the "--" has CMD among the words that are left over.
  void expect_mark(const CLI::App& app, bool has_mark, std::size_t words) const {
    if (has_mark) return;
    for (const auto& left_over : app.remaining()) {
      if (left_over.starts_with('-')) return;
      if (words-- == 0) refuse("put -- before the command");
    }
  }

  // Named as well, so that a script can pass on a name that begins with a dash: --resource=NAME.
  void add_resources(CLI::App& app) {
    app.allow_extras();
    add_values(
        app, "--resource", [this](const std::string& s) { resources_.push_back(s); },
        "The same as RESOURCE, for names that begin with a dash: --resource=NAME")
        ->type_name("NAME");
  }

  void take_resources(const CLI::App& app, bool at_least_one = true) {
    for (auto& left_over : app.remaining()) {
      if (left_over.starts_with('-')) refuse(fmt::format("unknown option {}", left_over));
      resources_.push_back(std::move(left_over));
    }
    if (at_least_one && resources_.empty()) refuse("RESOURCE is missing");
  }

  void use_nodes(options& o) const {
    o.nodes = node_list(nodes_);
    o.password_file = password_file_;
  }

  request finish_run(bool has_mark, strings behind) {
    expect_mark(*run_app_, has_mark, resources_.empty() ? 1 : 0);
    take_resources(*run_app_);
    if (resources_.size() > 1) refuse("more than one RESOURCE");
    if (behind.empty()) refuse("CMD is missing");
    run_.resource = std::move(resources_.front());
    run_.command = std::move(behind);
    use_nodes(run_.nodes);
    return std::move(run_);
  }

  // RESOURCE, and what else is named by its place.
  void take_words(const CLI::App& app, strings behind, std::size_t count) {
    take_resources(app, behind.empty());
    resources_.insert(resources_.end(), std::make_move_iterator(behind.begin()),
                      std::make_move_iterator(behind.end()));
    if (resources_.size() > count) {
      refuse(count == 1 ? "more than one RESOURCE" : "more than RESOURCE and TOKEN");
    }
    if (resources_.size() < count) refuse("TOKEN is missing");
  }

  request finish_acquire(strings behind) {
    take_words(*acquire_app_, std::move(behind), 1);
    acquire_.resource = std::move(resources_[0]);
    acquire_.lock.renewal = renewal::manual();
    use_nodes(acquire_.nodes);
    return std::move(acquire_);
  }

  request finish_renew(strings behind) {
    take_words(*renew_app_, std::move(behind), 2);
    renew_.resource = std::move(resources_[0]);
    renew_.token = std::move(resources_[1]);
    renew_.lock.renewal = renewal::manual();
    use_nodes(renew_.nodes);
    return std::move(renew_);
  }

  request finish_release(strings behind) {
    if (release_.yes && !release_.force) refuse("--yes is for --force");
    take_words(*release_app_, std::move(behind), release_.force ? 1 : 2);
    release_.resource = std::move(resources_[0]);
    if (!release_.force) release_.token = std::move(resources_[1]);
    use_nodes(release_.nodes);
    return std::move(release_);
  }

  request finish_status(strings behind) {
    resources_.insert(resources_.end(), std::make_move_iterator(behind.begin()),
                      std::make_move_iterator(behind.end()));
    take_resources(*status_app_);
    status_.resources = std::move(resources_);
    use_nodes(status_.nodes);
    return std::move(status_);
  }

  request finish_sandbox(bool has_mark, strings behind) {
    expect_mark(*sandbox_app_, has_mark, 0);
    take_resources(*sandbox_app_, false);
    if (!resources_.empty()) refuse("only -- and CMD may follow");
    if (has_mark && behind.empty()) refuse("CMD is missing");
    sandbox_.command = std::move(behind);
    return std::move(sandbox_);
  }

  [[nodiscard]] const CLI::App& chosen() const {
    const auto given = app_.get_subcommands();
    return given.empty() ? app_ : *given.front();
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw failed(exit_code::usage,
                 fmt::format("{}\nUsage: {}", printable(why), formatter::usage_of(chosen())));
  }

  strings nodes_;
  std::string password_file_;
  strings resources_;
  run_request run_;
  acquire_request acquire_;
  renew_request renew_;
  release_request release_;
  status_request status_;
  sandbox_request sandbox_;
  CLI::App app_{"Distributed locks on a quorum of Redis masters.", "redlock"};
  CLI::App* run_app_ = app_.add_subcommand("run", "Hold a lock while a command runs");
  CLI::App* acquire_app_ =
      app_.add_subcommand("acquire", "Take a lock and print its token, for scripts");
  CLI::App* renew_app_ = app_.add_subcommand("renew", "Start the ttl of an acquired lock anew");
  CLI::App* release_app_ = app_.add_subcommand("release", "Release an acquired lock");
  CLI::App* status_app_ =
      app_.add_subcommand("status", "Show who holds a lock, and on which nodes");
  CLI::App* sandbox_app_ = app_.add_subcommand("sandbox", "Run a command with throw-away masters");
};

}  // namespace

request parse_command_line(int argc, const char* const* argv) {
  const strings all(argv + std::min(argc, 1), argv + argc);
  const auto mark = std::find(all.begin(), all.end(), "--");
  const bool has_mark = mark != all.end();
  return command_line().parse(strings(all.begin(), mark), has_mark,
                              strings(has_mark ? mark + 1 : mark, all.end()));
}

}  // namespace redlock::tool
