#!/usr/bin/env bash
# agent.sh <host> <command line>: what mpirun calls in the place of ssh; runs the line on a host of the
# test bed $ORACLE_TESTBED, on its core of $ORACLE_TESTBED_CORES.
set -euo pipefail
host=$1
read -ra cores <<<"$ORACLE_TESTBED_CORES"
shift
exec taskset -c "${cores[(${host#host} - 1) % ${#cores[@]}]}" ip netns exec "$ORACLE_TESTBED-${host#host}" unshare --uts \
  bash -c "echo $host >/proc/sys/kernel/hostname && $*"
