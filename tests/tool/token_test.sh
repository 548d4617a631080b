#!/usr/bin/env bash
# What `redlock acquire`, `renew` and `release` promise, on real servers. Usage: token_test.sh
# REDLOCK [TEST]
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=common.sh
. "$here/common.sh"

acquire() { "$redlock" acquire --wait 30s "$@"; }
renew() { "$redlock" renew "$@"; }
release() { "$redlock" release "$@"; }

port() { sed -n 's/^port //p' "$REDLOCK_SANDBOX/$1/server.conf"; }
cli() { # on the server with this number
  local n=$1 cli
  shift
  for cli in redis-cli valkey-cli; do
    if type "$cli" >/dev/null 2>&1; then break; fi
  done
  "$cli" -p "$(port "$n")" "$@"
}

# On how many servers the lock has a key, asked past the library: no time-out makes it less.
has_keys() {
  local n sum=0
  for n in 1 2 3 4 5; do sum=$((sum + $(cli "$n" EXISTS redlock:r))); done
  [ "$sum" -eq "$1" ]
}
free() { has_keys 0; }

# Under load a release may be unconfirmed; what counts is that nothing stays.
release_for_sure() {
  "$redlock" release "$@" 2>"$scratch/err" || [ $? -eq 69 ] || fail "$(cat "$scratch/err")"
  await free
}

# Whoever was too slow for one round gets its key with another.
renews_everywhere() { renew --ttl 60s r "$1" && has_keys 5; }

it_prints_the_token_of_a_lock_that_outlives_it() {
  acquire --ttl 60s r >"$scratch/out"
  [ "$(wc -l <"$scratch/out")" -eq 1 ] || fail "not one line"
  expect_line "$scratch/out" '^[0-9a-f]{32}\.[0-9]+@.+:[0-9]+$'
  await renews_everywhere "$(cat "$scratch/out")"
  exits 75 "$redlock" acquire r || exits 69 "$redlock" acquire r || fail "taken twice"
  release_for_sure r "$(cat "$scratch/out")"
}

it_ends_with_its_ttl() {
  acquire --ttl 1s r >"$scratch/out"
  await free
  await exits 74 renew r "$(cat "$scratch/out")"
  expect_line "$scratch/exits.err" '^redlock: r: the lease was lost'
  await exits 74 release r "$(cat "$scratch/out")"
}

it_prints_json() {
  acquire --ttl 60s --json r >"$scratch/out"
  expect_line "$scratch/out" '^\{"resource":"r","token":"[^"]+","valid_ms":5[0-9]{4}\}$'
  local token
  token=$(sed 's/.*"token":"//; s/".*//' "$scratch/out")
  await exits 0 renew --json --ttl 50s r "$token"
  expect_line "$scratch/exits.out" '^\{"resource":"r","token":"[^"]+","valid_ms":4[0-9]{4}\}$'
}

it_renews() {
  local token
  token=$(acquire --ttl 5s r)
  await exits 0 renew --ttl 60s r "$token"
  [ ! -s "$scratch/exits.out" ] || fail "it prints something"
  local n
  for n in 1 2 3; do [ "$(cli "$n" PTTL redlock:r)" -gt 20000 ] || fail "node $n is not renewed"; done
}

it_renews_on_the_nodes_that_lost_the_key() {
  local token
  token=$(acquire --ttl 60s r)
  await renews_everywhere "$token"
  cli 2 DEL redlock:r
  await renews_everywhere "$token"
}

it_releases_what_a_minority_has() {
  local token
  token=$(acquire --ttl 60s r)
  await renews_everywhere "$token"
  cli 1 DEL redlock:r
  cli 2 DEL redlock:r
  cli 3 DEL redlock:r
  await exits 74 renew r "$token"
  has_keys 2 || fail "renewing a lost lock took keys away"
  until free; do release r "$token" 2>/dev/null || true; done
}

it_leaves_the_locks_of_others_alone() {
  local token
  token=$(acquire --ttl 60s r)
  await renews_everywhere "$token"
  await exits 74 release r "x${token:1}"
  await exits 74 renew r "$(printf '%032d' 0).1@somebody"
  has_keys 5 || fail "another token took keys away"
}

it_forces_a_release_only_when_told_to() {
  acquire --ttl 60s r >"$scratch/out"
  await renews_everywhere "$(cat "$scratch/out")"
  await exits 64 release --force r </dev/null
  expect_line "$scratch/exits.err" "^  127\.0\.0\.1:$(port 3): delete $(cat "$scratch/out"), which has"
  has_keys 5 || fail "deleted without having been told to"
  "$redlock" release --force --yes r 2>/dev/null || true
  await free
  await exits 0 release --force r
}

it_forces_a_release_on_all_holders_but_of_locks_only() {
  cli 1 SET redlock:r mine PX 60000
  cli 2 SET redlock:r yours PX 60000
  cli 3 SET redlock:r forever
  cli 4 LPUSH redlock:r list
  until [ "$(cli 1 EXISTS redlock:r)$(cli 2 EXISTS redlock:r)" = 00 ]; do
    "$redlock" release --force --yes r 2>"$scratch/err" || true
  done
  await exits 0 release --force r
  expect_line "$scratch/exits.err" 'leave alone: a key without expiry'
  [ "$(cli 3 GET redlock:r)$(cli 4 LLEN redlock:r)" = forever1 ] || fail "it deleted what is no lock"
}

it_says_which_values_it_cannot_delete() {
  cli 1 SET redlock:r '' PX 60000
  cli 2 SET redlock:r "$(printf '%0600d' 0)" PX 60000
  await exits 69 release --force --yes r
  [ "$(grep -c 'cannot delete: its value is no token' "$scratch/exits.err")" -eq 2 ] ||
    fail "not said: $(cat "$scratch/exits.err")"
  has_keys 2 || fail "it deleted what it cannot know"
  cli 1 DEL redlock:r
  cli 2 DEL redlock:r
}

it_asks_on_a_terminal() {
  type script >/dev/null 2>&1 || return 0
  acquire --ttl 60s r >"$scratch/out"
  await renews_everywhere "$(cat "$scratch/out")"
  local code=0
  (sleep 0.5; echo n) | script -qec "'$redlock' release --force r" /dev/null >"$scratch/out" || code=$?
  [ "$code" -eq 1 ] || fail "exit code $code: $(cat "$scratch/out")"
  expect_line "$scratch/out" 'Delete these keys\? \[y/N\]'
  has_keys 5 || fail "deleted although declined"
  (sleep 0.5; echo y) | script -qec "'$redlock' release --force r" /dev/null >"$scratch/out" || true
  await free
}

it_says_when_there_is_no_quorum() {
  local token
  token=$(acquire --ttl 60s r)
  kill_servers 1 2 3
  expect 69 "$redlock" acquire s
  expect 69 renew r "$token"
  expect 69 release r "$token"
  expect 69 release --force --yes r
}

it_says_why_it_cannot_tell_what_to_force() {
  exits 69 release --force --yes --node redis://127.0.0.1:1 r || fail "$(cat "$scratch/exits.err")"
  expect_line "$scratch/exits.err" '^  127\.0\.0\.1:1: cannot tell: unreachable \(.*refused\)$'
}

it_ends_a_release_with_a_wrong_password_as_unconfirmed() {
  local token
  token=$(acquire --ttl 60s r)
  REDLOCK_NODES=${REDLOCK_NODES//redis:\/\//redis://nobody:secret@} expect 69 release r "$token"
}

it_stops_waiting_on_a_signal() {
  acquire --ttl 60s r >/dev/null
  "$redlock" acquire --wait forever r >"$scratch/out" &
  local waiter=$!
  await signals_are_taken "$waiter"
  kill -INT "$waiter"
  expect_end 130 "$waiter"
  [ ! -s "$scratch/out" ] || fail "it printed a token"
}

signals_are_taken() { readlink /proc/"$1"/fd/* 2>/dev/null | grep -q signalfd; }

it_takes_the_lock_back_if_its_token_cannot_be_written() {
  expect 73 acquire --ttl 60s r >/dev/full
  await free
}

it_speaks_of_options_and_names_the_resource() {
  await exits 64 "$redlock" acquire --ttl 2m r
  expect_line "$scratch/exits.err" '^redlock: r: invalid argument: --ttl is 120 s, above --max-ttl, 60 s$'
  exits 64 "$redlock" run --stop-margin 9s r -- true || fail "a margin that leaves no renewal"
  expect_line "$scratch/exits.err" '^redlock: r: .*--stop-margin of 9 s leaves no room for .*, at most 6564 ms$'
  exits 64 "$redlock" run --stop-margin 10s r -- true || fail "a margin that leaves no validity"
  expect_line "$scratch/exits.err" '^redlock: r: .*--ttl of 10 s .*, not more than 10 s \(--stop-margin\)$'
  ! contains "$scratch/exits.err" options:: || fail "$(cat "$scratch/exits.err")"
  exits 64 renew r no-token || fail "a token that is none"
  exits 64 "$redlock" acquire --max-ttl 0 r || fail "no max_ttl"
  expect_line "$scratch/exits.err" '^redlock: invalid argument: --max-ttl is'
}

it_refuses_a_wrong_command_line() {
  expect 64 "$redlock" acquire
  expect 64 "$redlock" acquire r s
  expect 64 "$redlock" acquire --no-such-option r
  expect 64 renew r
  expect 64 renew r t u
  expect 64 release r
  expect 64 release r t u
  expect 64 release --yes r t
  expect 64 release --force --yes r t
  expect 64 release --force --yes
}

main "$1" "${2-}" "$1" sandbox -n 5 --
