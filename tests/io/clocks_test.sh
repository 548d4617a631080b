#!/bin/sh
# clocks_test.sh LIBRARY: one file of the static library reads the time, and nothing else of it asks
# any other clock, which would show as a symbol that it needs.
set -eu

failed=
complain() {
  echo "$*"
  failed=yes
}

it_reads_the_system_clock_in_one_place() {
  readers=$(needs 'clock_gettime|timespec_get|ftime' | cut -d: -f2 | sort -u)
  [ "$readers" = clock.cc.o ] || complain "the time is read in:" "$readers"
}

# mutex.cc waits for another thread of this process, as the standard library lets one wait; what is
# judged there is how long, and no lease. driver.cc compares the clock of a single node with ours
# (D4).
it_asks_no_other_clock() {
  others=$(needs 'std::chrono::.*_clock::now\(\)|gettimeofday|time|uv_(now|hrtime|gettimeofday)' |
    grep -v -e ':mutex\.cc\.o:.*steady_clock' -e ':driver\.cc\.o:.*system_clock') || true
  [ -z "$others" ] || complain "other clocks are asked:" "$others"
}

needs() {  # PATTERN: what is needed and matches, as ARCHIVE:MEMBER: U NAME
  grep -E " U ($1)(@|\$)" "$names"
}

names=$(mktemp)
trap 'rm -f "$names"' EXIT
nm -A -C --undefined-only "$1" >"$names"
it_reads_the_system_clock_in_one_place
it_asks_no_other_clock
[ -z "$failed" ]
