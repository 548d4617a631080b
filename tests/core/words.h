// The core's words in print, for scenarios and for what GoogleTest says of a failed expectation.
// (The library's own name() functions are not part of the core, which alone is linked here.)

#ifndef REDLOCK_TESTS_CORE_WORDS_H
#define REDLOCK_TESTS_CORE_WORDS_H

#include <array>
#include <ostream>
#include <string_view>

#include "core/claim.h"

namespace redlock {

inline constexpr std::array<std::string_view, 12> errc_words{
    "",           "held_by_other",    "no_quorum", "too_slow",         "lost",
    "not_held",   "cancelled",        "shut_down", "invalid_argument", "would_deadlock",
    "overloaded", "bad_configuration"};

inline constexpr std::array<std::string_view, 12> answer_words{
    "granted", "refused", "absent", "foreign",   "guarded",     "duplicate",
    "replica", "denied",  "error",  "timed_out", "unreachable", "unsent"};

inline std::string_view word(errc e) { return errc_words.at(static_cast<std::size_t>(e)); }
inline std::string_view word(answer a) { return answer_words.at(static_cast<std::size_t>(a)); }
inline void PrintTo(errc e, std::ostream* out) { *out << word(e); }    // NOLINT: GoogleTest's name
inline void PrintTo(answer a, std::ostream* out) { *out << word(a); }  // NOLINT

namespace core {

inline constexpr std::array<std::string_view, 9> news_words{
    "nothing",  "acquired", "gave_up",  "renewed",    "renew_failed",
    "expiring", "lost",     "released", "unconfirmed"};

inline constexpr std::array<std::string_view, 10> state_words{
    "idle",    "queued", "contacting", "acquiring", "adopting",
    "pausing", "held",   "releasing",  "lost",      "ended"};

inline constexpr std::array<std::string_view, 4> verb_words{"acquire", "renew", "refill",
                                                            "release"};

inline std::string_view word(news n) { return news_words.at(static_cast<std::size_t>(n)); }
inline std::string_view word(verb v) { return verb_words.at(static_cast<std::size_t>(v)); }
inline std::string_view word(claim::state s) { return state_words.at(static_cast<std::size_t>(s)); }
inline void PrintTo(news n, std::ostream* out) { *out << word(n); }          // NOLINT
inline void PrintTo(verb v, std::ostream* out) { *out << word(v); }          // NOLINT
inline void PrintTo(claim::state s, std::ostream* out) { *out << word(s); }  // NOLINT

}  // namespace core
}  // namespace redlock

#endif  // REDLOCK_TESTS_CORE_WORDS_H
