// Checks what users pass in, before anything is done with it, and completes the defaults.

#ifndef REDLOCK_LIB_API_VALIDATE_H
#define REDLOCK_LIB_API_VALIDATE_H

#include <string_view>

#include "core/claim.h"
#include "io/settings.h"
#include "redlock/options.h"
#include "redlock/result.h"

namespace redlock::detail {

// What the driver works by. Error: invalid_argument.
[[nodiscard]] result<io::settings> settings_of(const options& o);

// What a claim works by. Error: invalid_argument.
[[nodiscard]] result<core::terms> terms_of(const options& all, const lock_options& one);

// Error: invalid_argument.
[[nodiscard]] result<void> check_resource(std::string_view prefix, std::string_view resource);

}  // namespace redlock::detail

#endif  // REDLOCK_LIB_API_VALIDATE_H
