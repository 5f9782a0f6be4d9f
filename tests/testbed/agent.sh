#!/usr/bin/env bash
# agent.sh <host> <command line>: what mpirun calls in the place of ssh; runs the line on a host of the
# test bed $ORACLE_TESTBED.
set -euo pipefail
host=$1
shift
exec ip netns exec "$ORACLE_TESTBED-${host#host}" unshare --uts \
  bash -c "echo $host >/proc/sys/kernel/hostname && $*"
