// The library's side of lock_manager's calls on a token that came from elsewhere: adopt, release.

#ifndef REDLOCK_LIB_API_TOKEN_CALLS_H
#define REDLOCK_LIB_API_TOKEN_CALLS_H

#include <memory>
#include <string>

#include "api/runtime.h"
#include "redlock/lease.h"
#include "redlock/operation.h"
#include "redlock/options.h"

namespace redlock::detail {

class adopt_call final : public starter<lease> {
 public:
  adopt_call(std::shared_ptr<runtime> where, std::string resource, std::string token,
             lock_options o) noexcept;
  void start(completion<lease>& whom, delivery how) noexcept override;

 private:
  std::shared_ptr<runtime> runtime_;
  std::string resource_;
  std::string token_;
  lock_options options_;
};

class release_call final : public starter<void> {
 public:
  release_call(std::shared_ptr<runtime> where, std::string resource, std::string token) noexcept;
  void start(completion<void>& whom, delivery how) noexcept override;

 private:
  std::shared_ptr<runtime> runtime_;
  std::string resource_;
  std::string token_;
};

}  // namespace redlock::detail

#endif  // REDLOCK_LIB_API_TOKEN_CALLS_H
