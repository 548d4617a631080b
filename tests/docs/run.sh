#!/bin/sh
# run.sh REDLOCK PROGRAM: runs an example as a reader would, with three throw-away masters.
set -eu
exec "$1" sandbox -n 3 -- "$2"
