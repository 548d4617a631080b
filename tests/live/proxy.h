// proxy: a TCP path to one server that the test can slow down, hold up, empty, or cut.

#ifndef REDLOCK_LIVE_PROXY_H
#define REDLOCK_LIVE_PROXY_H

#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sockets.h"

namespace redlock::live {

enum class direction : std::size_t { requests, replies };

// Accepts connections on a port of its own, and joins each to one of its own to the server. All
// that is told to it has taken effect when the call returns, for connections that are there and
// those to come, and lasts until told otherwise.
//
// Bytes arrive complete and in order, whatever is told to it, as on any TCP path: what is lost, is
// lost with its connection; only inject() does what no path should. Requests that were on their way
// when the client went away are still delivered; replies to it are not.
//
// Thread safety: all members from any threads at once.
class proxy {
 public:
  explicit proxy(std::uint16_t server_port);
  ~proxy();
  proxy(const proxy&) = delete;
  proxy& operator=(const proxy&) = delete;

  [[nodiscard]] std::string uri() const;
  [[nodiscard]] std::string name() const;

  void pass(direction d);  // let everything through, first of all what was held
  void hold(direction d);  // keep back whatever comes
  void delay(direction d, std::chrono::milliseconds by);
  void swallow(direction d);  // whatever comes, is lost; and its connection with it on pass()
  void trickle(direction d, std::chrono::milliseconds each);  // byte by byte
  void strand();  // hold the connections that are there, both ways, while new ones pass
  void thaw();    // ends strand(): what was sent arrives late
  void half_close(direction d);  // ends that direction of the connections that are there
  void inject(direction d, std::string bytes);  // into the connections that are there
  void cut();                                   // reset all connections
  void refuse();                                // and those to come
  void accept();                                // ends refuse()

  [[nodiscard]] std::size_t held(direction d) const;       // bytes kept back now
  [[nodiscard]] std::size_t swallowed(direction d) const;  // bytes lost so far
  [[nodiscard]] std::size_t passed(direction d) const;     // bytes delivered so far
  [[nodiscard]] std::size_t connections() const;           // now
  [[nodiscard]] std::size_t accepted() const;              // so far

 private:
  using time_point = std::chrono::steady_clock::time_point;
  enum class treatment { pass, hold, swallow, trickle };

  struct rule {
    treatment how = treatment::pass;
    std::chrono::milliseconds delay{0};  // of each chunk, or between two bytes that trickle
  };
  struct chunk {
    std::string bytes;
    time_point due;
  };
  struct stream {  // one direction of one connection
    std::deque<chunk> queue;
    time_point next_byte;       // of those that trickle
    bool source_ended = false;  // no more will come
    bool finished = false;      // and all that came was delivered, or cannot be
    bool incomplete = false;    // something was swallowed
  };
  struct link {
    descriptor ends[2];  // client and server: where requests, and where replies, come from
    stream streams[2];
    bool stranded = false;
  };

  void tell(direction d, rule r);
  void ask(std::function<void()> wish);  // run by thread_
  void await_turn(std::unique_lock<std::mutex>& lock);

  void run();
  void turn();
  void fulfil_wish();
  void cut_all();
  void accept_new();
  void abort_incomplete();
  void receive(link& l, std::size_t d, time_point now);
  void deliver(link& l, std::size_t d, time_point now);
  [[nodiscard]] bool is_held(const link& l, std::size_t d) const;
  [[nodiscard]] time_point due(const stream& s, std::size_t d) const;  // its next bytes
  [[nodiscard]] bool is_due(const link& l, std::size_t d, time_point now) const;
  [[nodiscard]] std::vector<pollfd> watched(time_point now) const;
  [[nodiscard]] int patience_until_due(time_point now) const;

  const reserved_port port_;
  const std::uint16_t server_port_;
  bell bell_;

  mutable std::mutex mutex_;  // guards all below; sockets are used by thread_ alone
  std::condition_variable turned_;
  std::uint64_t turns_wanted_ = 0;
  std::uint64_t turns_done_ = 0;
  bool ending_ = false;
  std::function<void()> wish_;
  rule rules_[2];
  descriptor listener_;
  std::list<link> links_;
  std::size_t accepted_ = 0;
  std::size_t passed_[2] = {0, 0};
  std::size_t swallowed_[2] = {0, 0};

  std::thread thread_;
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_PROXY_H
