// quiet_thread: a thread that takes no signals, so that they reach the application's own threads.

#ifndef REDLOCK_LIB_IO_THREAD_H
#define REDLOCK_LIB_IO_THREAD_H

#include <csignal>
#include <thread>
#include <utility>

namespace redlock::io {

// Throws std::system_error if the system gives no thread.
template <class F>
std::thread quiet_thread(F f) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a thread inherits the mask of its maker
  struct restore {
    const sigset_t* mask;
    ~restore() { pthread_sigmask(SIG_SETMASK, mask, nullptr); }
  } at_end{&before};
  return std::thread(std::move(f));
}

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_THREAD_H
