#!/bin/sh
# run.sh installed KIND TREE WORK: installs what the build tree has built, moves it to another place,
#   and there has a stranger's project use it: by find_package and by pkg-config.
# run.sh part KIND WORK: has the project make the library a part of its own build, by FetchContent.
#   What that installs must be usable as well.
#
# KIND is shared or static. Everything is done in the directory WORK; a part that was built there
# before is built on. The other ways, and other compilers, are tests/consumer/matrix's.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
what=$1
kind=$2
if [ -z "${CMAKE_CXX_COMPILER_LAUNCHER:-}" ] && command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

step() { echo "--- $* ($kind)"; }

# configure WAY KIND TREE CMAKE-OPTION…: a stranger's project. Not optimised: it need only compile.
configure() {
  is_shared=OFF
  if [ "$2" = shared ]; then is_shared=ON; fi
  way=$1
  tree=$3
  shift 3
  cmake -S "$here/project" -B "$tree" -DCMAKE_BUILD_TYPE= -DBUILD_SHARED_LIBS=$is_shared \
    -DWAY="$way" -DSOURCE="$source" -DREDLOCK_INSTALL=ON "$@"
}

use_installed() {  # TREE
  step "install from $1"
  rm -rf installed moved by_find
  cmake --install "$1" --prefix "$work/installed"
  mv installed moved
  if grep -rlIF "$work/installed" moved; then
    echo "These name the place that they were installed to."
    exit 1
  fi
  package=$(find "$work/moved" -name redlock.pc)
  libdir=${package%/pkgconfig/redlock.pc}

  if [ "$kind" = shared ]; then
    step "nothing but the interface is exported"
    nm --dynamic --demangle --defined-only "$libdir/libredlock.so" >exported
    if grep ' [TDB] ' exported | grep -v ' redlock::'; then exit 1; fi
    if grep 'redlock::\(core\|io\)::' exported; then exit 1; fi
  fi

  step "find_package"
  configure find "$kind" by_find -DCMAKE_PREFIX_PATH="$work/moved"
  cmake --build by_find
  by_find/consumer_20
  by_find/consumer_23

  step "pkg-config"
  static=
  if [ "$kind" = static ]; then static=--static; fi
  # Word splitting is meant: flags are words.
  # shellcheck disable=SC2086
  flags=$(PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config $static --cflags --libs redlock)
  # shellcheck disable=SC2086
  "${CXX:-c++}" -std=c++20 -Wall -Wextra -Wpedantic -Werror "$here/project/main.cc" $flags \
    -o by_pkg_config
  LD_LIBRARY_PATH=$libdir ./by_pkg_config
}

if [ "$what" = installed ]; then work=$4; else work=$3; fi
mkdir -p "$work"
cd "$work"
if [ "$what" = installed ]; then
  use_installed "$3"
else
  other_kind=static
  if [ "$kind" = static ]; then other_kind=shared; fi
  step "add_subdirectory: configured only, since the library would be compiled once more"
  configure subdirectory $other_kind other
  step "FetchContent"
  configure fetch "$kind" tree
  cmake --build tree
  tree/consumer_20
  use_installed tree
fi
