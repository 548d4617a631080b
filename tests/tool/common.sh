# shellcheck shell=bash
# What the tests of the command-line tool share: running each test by itself, and waiting for
# conditions. Sourced, never run.
#
# A test is a function whose name begins with it_. Under load a node may miss its time-out at any
# moment, so a test that needs a success gives it time (--wait, await), and never counts on one try.

readonly patience=60  # seconds; only a failing test ever waits so long
readonly start="$SECONDS"

fail() {
  echo "FAILED: ${FUNCNAME[1]}: $*" >&2
  exit 1
}

# Runs a command until it succeeds.
await() {
  until "$@"; do
    ((SECONDS - start < patience)) || fail "waited in vain for: $*"
    sleep 0.05
  done
}

# Runs a command and checks its exit code.
expect() {
  local code=$1 got=0
  shift
  "$@" || got=$?
  [ "$got" -eq "$code" ] || fail "exit code $got instead of $code: $*"
}

# Is the exit code of a command this one?
exits() {
  local code=$1 got=0
  shift
  "$@" >"$scratch/exits.out" 2>"$scratch/exits.err" || got=$?
  [ "$got" -eq "$code" ]
}

# Waits for the end of our child and checks its exit code.
expect_end() {
  local code=$1 child=$2 got=0
  wait "$child" || got=$?
  [ "$got" -eq "$code" ] || fail "process ended with $got instead of $code"
}

contains() { grep -qF -e "$2" "$1"; }

# Checks that a file has a line that matches.
expect_line() { grep -qE -e "$2" "$1" || fail "no line '$2' in: $(cat "$1")"; }

# A process that ended and was not waited for yet by its parent is gone too.
gone() {
  local state
  state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) || return 0
  [ -z "$state" ] || [ "$state" = Z ]
}

# The server of the sandbox with this number.
server_pid() { cat "$REDLOCK_SANDBOX/$1/pid"; }

kill_servers() {
  local n
  for n in "$@"; do kill -KILL "$(server_pid "$n")"; done
  for n in "$@"; do await gone "$(server_pid "$n")"; done
}

# main REDLOCK TEST [AROUND...]: runs one test; or, if TEST is empty, all in turn, each by the
# command AROUND (a sandbox of its own, say) and within 150 seconds, and shows the output of those
# that fail.
main() {
  redlock=$(realpath "$1")
  local name=$2 failures=0 count=0
  shift 2
  scratch=$(mktemp -d)
  trap 'clean_up' EXIT
  if [ -n "$name" ]; then
    "$name"
    return 0
  fi
  for name in $(compgen -A function it_); do
    count=$((count + 1))
    if timeout 150 "$@" bash "$0" "$redlock" "$name" >"$scratch/output" 2>&1; then
      echo "ok $name"
    else
      echo "not ok $name"
      sed 's/^/    /' "$scratch/output"
      failures=$((failures + 1))
    fi
  done
  echo "$((count - failures)) passed, $failures failed"
  [ "$failures" -eq 0 ]
}

clean_up() {
  local child
  for child in $(jobs -p); do kill "$child" 2>/dev/null || true; done
  rm -rf "$scratch"
}
