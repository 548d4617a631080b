#include "redis_server.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "eventually.h"

namespace redlock::live {
namespace {

using namespace std::chrono_literals;

// A server that syncs to a busy disk on every write stands still for as long as that takes.
constexpr timeval answer_limit{60, 0};
constexpr int start_tries = 5;

struct hiredis_deleter {
  void operator()(redisContext* c) const noexcept { redisFree(c); }
  void operator()(redisReply* r) const noexcept { freeReplyObject(r); }
};
using context_ptr = std::unique_ptr<redisContext, hiredis_deleter>;
using reply_ptr = std::unique_ptr<redisReply, hiredis_deleter>;

reply value_of(const redisReply& r) {
  using kind = reply::kind;
  switch (r.type) {
    case REDIS_REPLY_STRING:
      return {kind::text, {r.str, r.len}, 0, {}};
    case REDIS_REPLY_STATUS:
      return {kind::status, {r.str, r.len}, 0, {}};
    case REDIS_REPLY_ERROR:
      return {kind::error, {r.str, r.len}, 0, {}};
    case REDIS_REPLY_INTEGER:
      return {kind::number, {}, r.integer, {}};
    case REDIS_REPLY_ARRAY:
      break;
    default:
      return {};
  }
  reply list{kind::list, {}, 0, {}};
  for (std::size_t i = 0; i < r.elements; ++i) list.items.push_back(value_of(*r.element[i]));
  return list;
}

// Nothing if the connection fails. Leaves no signal behind: the peer is known to be there.
std::optional<reply> ask(redisContext& context, const std::vector<std::string>& words) {
  std::vector<const char*> starts;
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) {
    starts.push_back(word.data());
    sizes.push_back(word.size());
  }
  const auto count = static_cast<int>(words.size());
  const reply_ptr r(
      static_cast<redisReply*>(redisCommandArgv(&context, count, starts.data(), sizes.data())));
  if (!r) return {};
  return value_of(*r);
}

context_ptr connect(const std::string& socket_path, const std::string& password) {
  context_ptr context(redisConnectUnixWithTimeout(socket_path.c_str(), answer_limit));
  if (!context || context->err != 0) return nullptr;
  redisSetTimeout(context.get(), answer_limit);
  if (!password.empty() && !ask(*context, {"AUTH", password})) return nullptr;
  return context;
}

std::string program() {
  if (const char* chosen = std::getenv("REDLOCK_TEST_SERVER")) return chosen;
  for (const char* name : {"redis-server", "valkey-server"}) {
    for (const char* dir : {"/usr/bin/", "/usr/local/bin/", "/usr/sbin/"}) {
      if (::access((std::string(dir) + name).c_str(), X_OK) == 0) return std::string(dir) + name;
    }
  }
  return "redis-server";  // wherever in PATH
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// One aligned word, which the page cache shares with those who have mapped it.
std::chrono::nanoseconds read_clock(const std::filesystem::path& file) {
  const descriptor fd(checked(::open(file.c_str(), O_RDONLY | O_CLOEXEC), "clock"));
  std::int64_t offset = 0;
  checked(static_cast<int>(::pread(fd.get(), &offset, sizeof offset, 0)), "clock");
  return std::chrono::nanoseconds(offset);
}

void write_clock(const std::filesystem::path& file, std::chrono::nanoseconds by) {
  const descriptor fd(checked(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), "clock"));
  const std::int64_t offset = by.count();
  checked(static_cast<int>(::pwrite(fd.get(), &offset, sizeof offset, 0)), "clock");
}

}  // namespace

redis_server::redis_server(server_options o) : options_(std::move(o)) {
  if (!options_.clock_shim.empty()) write_clock(clock_file(), 0ns);
  for (int i = 1;; ++i) {
    try {
      start();
      return;
    } catch (const std::runtime_error&) {
      // Someone who is no live test may have taken the port since we looked.
      if (i == start_tries) throw;
      port_ = reserved_port();
    }
  }
}

std::string redis_server::uri() const {
  const std::string credentials = options_.password.empty() ? "" : ":" + options_.password + "@";
  return "redis://" + credentials + name();
}

std::string redis_server::unix_uri() const {
  if (options_.password.empty()) return "unix:" + socket_path();
  return "unix://:" + options_.password + "@" + socket_path();
}

std::string redis_server::name() const { return "127.0.0.1:" + std::to_string(port()); }

bool redis_server::has_ipv6() const {
  const context_ptr context(redisConnectWithTimeout("::1", port(), answer_limit));
  return context && context->err == 0;
}

std::vector<std::string> redis_server::command_line() const {
  // "-::1" may be missing without harm.
  std::vector<std::string> words{program(),      "--port",       std::to_string(port()),
                                 "--bind",       "127.0.0.1",    "-::1",
                                 "--unixsocket", socket_path(),  "--dir",
                                 dir_.path(),    "--save",       "",
                                 "--daemonize",  "no",           "--databases",
                                 "16",           "--maxclients", "1000"};
  const std::string keeps = options_.keeps_data ? "yes" : "no";
  words.insert(words.end(), {"--appendonly", keeps, "--appendfsync", "always"});
  if (!options_.password.empty()) {
    words.insert(words.end(), {"--requirepass", options_.password});
  }
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
  return words;
}

void redis_server::start() { start("PONG", {}); }

void redis_server::start(const std::string& answer, const std::vector<std::string>& also) {
  const std::filesystem::path log = dir_.path() / "log";
  const descriptor output(
      checked(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), "log"));
  std::filesystem::remove(socket_path());
  process_options o{.output = output.get()};
  if (!options_.clock_shim.empty()) {
    o.environment = {"LD_PRELOAD=" + options_.clock_shim,
                     "REDLOCK_CLOCK_OFFSET=" + clock_file().string()};
  }
  std::vector<std::string> words = command_line();
  words.insert(words.end(), also.begin(), also.end());
  process_.emplace(words, std::move(o));
  if (await(answer) == outcome::ready) return;
  process_.reset();
  throw std::runtime_error(program() + " does not run: " + contents(log));
}

// The unix socket is in a directory of its own, so whoever answers there is our child; it is
// created after the TCP port was bound.
redis_server::outcome redis_server::await(const std::string& answer) {
  bool ready = false;
  static_cast<void>(eventually([&] {
    if (process_->ended()) return true;
    const context_ptr context = connect(socket_path(), options_.password);
    if (!context) return false;
    const std::optional<reply> pong = ask(*context, {"PING"});
    ready = pong && pong->text.starts_with(answer);
    return ready;
  }));
  return ready ? outcome::ready : outcome::ended;
}

void redis_server::restart() {
  kill();
  start();
}

void redis_server::forget() { std::filesystem::remove_all(dir_.path() / "appendonlydir"); }

void redis_server::fill() {
  command({"EVAL",
           "redis.call('SELECT', 15) for i = 1, 1000 do redis.call('SET', i, ('x'):rep(1000)) end",
           "0"});
  // What is rewritten is loaded key by key, with a look at the clients in between.
  command({"BGREWRITEAOF"});
  const bool rewritten = eventually([&] {
    const std::string info = command({"INFO", "persistence"}).text;
    return info.find("aof_rewrite_in_progress:0") != std::string::npos &&
           info.find("aof_rewrite_scheduled:0") != std::string::npos;
  });
  if (!rewritten) throw std::runtime_error(name() + " does not rewrite its data");
}

void redis_server::start_loading() {
  start("LOADING", {"--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024"});
}

void redis_server::set_password(const std::string& password) {
  command({"CONFIG", "SET", "requirepass", password});
  options_.password = password;
}

void redis_server::step_clock(std::chrono::nanoseconds by) {
  write_clock(clock_file(), read_clock(clock_file()) + by);
}

reply redis_server::command(const std::vector<std::string>& words) const {
  const context_ptr context = connect(socket_path(), options_.password);
  std::optional<reply> r;
  if (context) r = ask(*context, words);
  if (!r) {
    const std::string why = context ? context->errstr : "cannot connect";
    throw std::runtime_error(name() + " does not answer " + words.front() + ": " + why);
  }
  return std::move(*r);
}

}  // namespace redlock::live
