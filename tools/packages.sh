#!/bin/sh
# packages.sh SET…: installs the Debian packages that a set needs and that are missing; silent and
# offline if none is. As root or through sudo. The one place where packages are named.
#
#   build  compiles everything, tests included
#   meson  builds with Meson as well, and with the other compiler
#   bench  builds the benchmarks as well
#   test   runs the tests and the demonstration
#   fuzz   builds the fuzz targets
#   mutants  applies patches to a copy of the sources
#   lint   checks the sources
#   roots  makes a bare Debian of another release to test in
#
# It starts no service, and enables none.
set -eu

sets_of() {
  for set; do
    case $set in
      build)
        echo g++ cmake ninja-build pkgconf libuv1-dev libhiredis-dev
        echo libcli11-dev libfmt-dev nlohmann-json3-dev libgtest-dev
        ;;
      meson) echo meson clang binutils ;;
      fuzz) echo clang libclang-rt-dev ;;
      bench) echo libbenchmark-dev ;;
      test)
        echo redis-server redis-tools
        if [ "$release" -ge 13 ]; then echo valkey-server; fi
        ;;
      mutants) echo git ;;
      lint) echo clang-format clang-tidy shellcheck git ;;
      roots) echo mmdebstrap debian-archive-keyring util-linux git tar ;;
      *)
        echo "packages.sh: no such set: $set" >&2
        exit 64
        ;;
    esac
  done
}

missing_of() {
  for package; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) || state=
    if [ "$state" != installed ]; then echo "$package"; fi
  done
}

# Runs a command with its output kept back unless it fails.
quietly() {
  "$@" >"$log" 2>&1 </dev/null || {
    cat "$log" >&2
    echo "packages.sh: failed: $*" >&2
    return 1
  }
}

# While packages are unpacked, Debian asks this file whether a service may start.
forbid_services() {
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod 755 $policy
    policy_is_ours=yes
  fi
}

clean_up() {
  rm -f "$log"
  if [ -n "$policy_is_ours" ]; then rm -f /usr/sbin/policy-rc.d; fi
}

install() {
  log=$(mktemp)
  policy_is_ours=
  trap clean_up EXIT
  trap 'exit 130' INT TERM HUP
  forbid_services
  export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
  quietly apt-get -o DPkg::Lock::Timeout=300 update
  quietly apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    install --yes --no-install-recommends "$@"
  for package; do
    case $package in
      *-server) update-rc.d "$package" disable >/dev/null 2>&1 || true ;;
    esac
  done
}

# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_ID:-0}")
release=${release%%.*}
names=$(sets_of "$@")
# Word splitting is meant here and below: names are words.
# shellcheck disable=SC2086
if ! command -v dpkg-query >/dev/null; then
  echo "packages.sh: this is no Debian; what Debian calls these must be there:" $names >&2
  exit 0
fi
# shellcheck disable=SC2086
missing=$(missing_of $names)
if [ -z "$missing" ]; then exit 0; fi
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null; then exec sudo sh "$0" "$@"; fi
  # shellcheck disable=SC2086
  echo "packages.sh: to be installed by root:" $missing >&2
  exit 77
fi
# shellcheck disable=SC2086
echo "Installing" $missing >&2
# shellcheck disable=SC2086
install $missing
