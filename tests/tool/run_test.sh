#!/usr/bin/env bash
# What `redlock run` promises, on real servers. Usage: run_test.sh REDLOCK [TEST]
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the commands
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=common.sh
. "$here/common.sh"

run() { "$redlock" run "$@"; }

# Holds the lock in the background, with these options, while a command goes on until it is ended.
# PREPARE is a part of that command; "$0" in it is our directory.
hold() {
  local prepare=$1
  shift
  rm -f "$scratch/ready"
  "$redlock" run --wait 30s "$@" r -- \
    sh -c "$prepare"'; echo >"$0/ready"; while [ -d "$0" ]; do sleep 0.05; done' "$scratch" 2>"$scratch/err" &
  holder=$!
  await test -e "$scratch/ready"
}

it_ends_with_the_status_of_cmd() {
  expect 0 run --wait 30s r -- true
  expect 7 run --wait 30s r -- sh -c 'exit 7'
  expect 137 run --wait 30s r -- sh -c 'kill -KILL $$'
  expect 74 run --wait 30s r -- sh -c 'exit 74'
  await exits 1 "$redlock" status r
}

it_leaves_the_arguments_of_cmd_alone() {
  run --wait 30s r -- printf '%s\n' --help -- --node -n >"$scratch/out"
  printf '%s\n' --help -- --node -n | cmp - "$scratch/out" || fail "other arguments"
}

it_tells_cmd_what_it_holds() {
  run --wait 30s 'a name' -- sh -c 'echo "$REDLOCK_RESOURCE/$REDLOCK_TOKEN"' >"$scratch/out"
  expect_line "$scratch/out" '^a name/[^@]+@.+$'
}

it_takes_a_name_that_begins_with_a_dash() {
  run --wait 30s --resource=--wait -- sh -c 'echo "$REDLOCK_RESOURCE"' >"$scratch/out"
  expect_line "$scratch/out" '^--wait$'
}

it_holds_the_lock_while_cmd_runs_and_not_after() {
  hold :
  await exits 0 "$redlock" status r
  await exits 75 run r -- true
  "$redlock" run --wait forever r -- touch "$scratch/next" &
  local next=$!
  kill -TERM "$holder"
  expect_end 143 "$holder"
  expect_end 0 "$next"
  [ -e "$scratch/next" ] || fail "the next one did not run"
  await exits 1 "$redlock" status r
}

it_lets_one_in_at_a_time() {
  local i children=()
  for i in 1 2 3 4; do
    for _ in 1 2 3 4 5; do
      run --wait forever r -- \
        sh -c 'mkdir "$0/in" && echo . >>"$0/count" && rmdir "$0/in"' "$scratch"
    done &
    children+=($!)
  done
  for i in "${children[@]}"; do expect_end 0 "$i"; done
  [ "$(wc -l <"$scratch/count")" -eq 20 ] || fail "$(wc -l <"$scratch/count") of 20"
}

it_renews_the_lock() {
  expect 0 run --wait 30s --ttl 3s r -- sleep 7
}

it_ends_cmd_when_the_lock_is_lost() {
  hold 'trap "echo >\"$0/term\"; exit 0" TERM' --ttl 3s
  kill_servers 1 3 5
  expect_end 74 "$holder"
  [ -e "$scratch/term" ] || fail "no SIGTERM"
  expect_line "$scratch/err" 'lost the lock on r: '
}

it_ends_cmd_before_the_lock_is_lost_if_there_is_a_margin() {
  hold 'trap "exit 0" TERM' --ttl 4s --stop-margin 2s
  kill_servers 1 3 5
  expect_end 74 "$holder"
  expect_line "$scratch/err" 'losing the lock on r: '
}

it_kills_a_cmd_that_does_not_end() {
  hold 'trap "" TERM' --ttl 3s --kill-after 100ms
  kill_servers 1 2 3
  expect_end 74 "$holder"
}

it_ends_what_cmd_has_started_as_well() {
  hold '(trap "" TERM; while [ -d "$0" ]; do sleep 0.05; done) & echo $! >"$0/inner"' \
    --ttl 3s --kill-after 100ms
  kill_servers 1 2 3
  expect_end 74 "$holder"
  await gone "$(cat "$scratch/inner")"
}

it_survives_the_loss_of_a_minority() {
  hold 'trap "sleep 13; exit 0" TERM' --ttl 6s
  await held_by_all
  kill_servers 2 4
  kill -TERM "$holder"  # now it goes on for some more ttls
  expect_end 0 "$holder"
}

held_by_all() { "$redlock" status --json r | grep -q '"votes":5'; }

it_passes_signals_on() {
  local signal
  for signal in INT TERM HUP QUIT; do
    hold "trap 'exit 9' $signal"
    kill -s "$signal" "$holder"
    expect_end 9 "$holder"
  done
}

it_stops_waiting_on_a_signal() {
  hold :
  "$redlock" run --wait forever r -- touch "$scratch/never" &
  local waiter=$!
  # It takes signals as messages once it has made its descriptor for them.
  await signals_are_taken "$waiter"
  kill -INT "$waiter"
  expect_end 130 "$waiter"
  kill -TERM "$holder"
  expect_end 143 "$holder"
  [ ! -e "$scratch/never" ] || fail "it ran"
}

signals_are_taken() { readlink /proc/"$1"/fd/* 2>/dev/null | grep -q signalfd; }

it_leaves_no_cmd_behind_when_it_is_killed() {
  hold 'trap "echo >\"$0/term\"; exit" TERM' --ttl 3s
  kill -KILL "$holder"
  expect_end 137 "$holder"
  await test -e "$scratch/term"
}

it_keeps_the_status_of_cmd_when_it_cannot_release() {
  hold 'trap "exit 5" TERM' --ttl 60s
  kill_servers 1 2 3
  kill -TERM "$holder"
  expect_end 5 "$holder"
  expect_line "$scratch/err" 'cannot release the lock on r'
}

it_says_when_there_is_no_quorum() {
  kill_servers 1 2 3
  expect 69 run r -- touch "$scratch/never"
  [ ! -e "$scratch/never" ] || fail "it ran"
}

it_says_when_the_nodes_are_misconfigured() {
  export REDLOCK_NODES=${REDLOCK_NODES//redis:\/\//redis://nobody:secret@}
  await exits 78 run r -- true
  ! contains "$scratch/exits.err" secret || fail "it shows a password"
}

it_looks_for_cmd_before_it_locks() {
  local nowhere=(--node redis://127.0.0.1:1)
  expect 127 run "${nowhere[@]}" r -- no-such-command
  expect 127 run "${nowhere[@]}" r -- ./no/such/command
  expect 127 run "${nowhere[@]}" r -- ''
  expect 126 run "${nowhere[@]}" r -- /etc/passwd
  expect 126 run "${nowhere[@]}" r -- /
  expect 69 run "${nowhere[@]}" r -- true
}

says() {
  local pattern=$1
  shift
  exits 64 "$redlock" "$@" || fail "not refused: $*"
  expect_line "$scratch/exits.err" "^redlock: $pattern"
}

it_takes_blanks_between_nodes() {
  REDLOCK_NODES=" ${REDLOCK_NODES//,/ , } " expect 0 run --wait 30s r -- true
}

it_refuses_a_wrong_command_line() {
  expect 64 run
  expect 64 run r
  expect 64 run r --
  expect 64 run -- true
  expect 64 run r s -- true
  expect 64 run '' -- true
  expect 64 run r --no-such-option -- true
  expect 64 run r --policy none -- true
  expect 64 run r --node 'redis://host:none' -- true
  expect 64 run r --ttl 2m -- true
  says 'unknown subcommand walk' walk r -- true
  says 'put -- before the command' run r true
  says 'put -- before the command' run --resource=r sh -c true
  says 'unknown option --none' run r --none true
  says '--node, node 1: .*it takes one URI, and may be repeated' run --node a:1,b:2 r -- true
  says '--node, node 1: .*it takes one URI, and may be repeated' run --node a,b r -- true
  local duration
  for duration in 10 -1s 1,5s 1.s .5s 1e3s ' 1s' '1s ' 1d forever 99999999999h 0.0000000001s ''; do
    expect 64 run r "--kill-after=$duration" -- true
  done
  unset REDLOCK_NODES
  expect 64 run r -- true
}

it_counts_nodes_that_have_just_started_only_if_told_to() {
  local all=$REDLOCK_NODES
  export REDLOCK_NODES=${all//[?]durable=1/}
  expect 69 run r -- true
  expect 0 run --no-restart-guard --wait 30s r -- true
  REDLOCK_NODES=$all expect 0 run --wait 30s r -- true
}

it_takes_durations() {
  local duration
  for duration in 0 0.0 0s 250ms 1.5s 1m 1h 2562047h; do
    expect 0 run --wait 30s r "--kill-after=$duration" -- true
  done
}

it_lends_the_terminal_to_cmd() {
  type script >/dev/null 2>&1 || return 0
  (sleep 0.2; echo hello; await test -e "$scratch/done") |
    script -qec "'$redlock' run --wait 30s r -- sh -c 'read x; echo got=\$x; touch $scratch/done'" \
      /dev/null >"$scratch/out"
  expect_line "$scratch/out" got=hello
}

it_notices_that_help_cannot_be_written() {
  expect 0 "$redlock" --help >/dev/null
  expect 0 run --help >/dev/null
  expect 0 "$redlock" --version >/dev/null
  expect 73 "$redlock" --help >/dev/full
  expect 73 "$redlock" --version >&-
}

main "$1" "${2-}" "$1" sandbox -n 5 --
