// Which script does what.

#include "io/scripts.h"

namespace redlock::io {

script script_of(core::verb v) noexcept {
  switch (v) {
    case core::verb::acquire:
      return script::acquire;
    case core::verb::renew:
      return script::renew;
    case core::verb::refill:
      return script::refill;
    case core::verb::release:
      return script::release;
  }
  return script::release;
}

std::string_view text_of(script s) noexcept {
  switch (s) {
    case script::acquire:
      return script_text::acquire;
    case script::renew:
      return script_text::renew;
    case script::refill:
      return script_text::refill;
    case script::release:
      return script_text::release;
    case script::inspect:
      return script_text::inspect;
    case script::enroll:
      return script_text::enroll;
    case script::probe:
      return script_text::probe;
  }
  return {};
}

}  // namespace redlock::io
