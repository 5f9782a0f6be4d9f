#!/usr/bin/env bash
# testbed.sh <hosts> <rate> <command> [arguments...]: several hosts on one machine.
#
# Each host is a network namespace with its own host name (host1, host2, ...), joined to a switch, a
# namespace that holds a bridge, by a link whose rate is limited each way (tc tbf; e.g. 200mbit). It has
# one core of this machine, in turn; where there are more hosts than cores, some share one. The command
# runs on host1 with mpirun set up by the environment: `mpirun -np <hosts> program` puts one rank on each
# host. All of it is taken away again, whatever happens. Exit code 77: it cannot be made here.
set -euo pipefail
hosts=$1 rate=$2
shift 2
here=$(dirname "$(readlink -f "$0")")
id=oracle$$
files=$(mktemp -d)

skip() {
  echo "skipped: $*"
  exit 77
}

clean_up() {
  local host pid
  for host in $(seq "$hosts"); do
    for pid in $(ip netns pids "$id-$host" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null || true; done
    ip netns del "$id-$host" 2>/dev/null || true
    rm -rf "/etc/netns/$id-$host"
  done
  ip netns del "$id-switch" 2>/dev/null || true
  rmdir /etc/netns 2>/dev/null || true
  rm -rf "$files"
}

[[ $(id -u) == 0 ]] || skip "network namespaces need root"
for program in ip tc unshare taskset mpirun; do
  command -v "$program" >/dev/null || skip "$program is not installed (iproute2, util-linux, openmpi-bin)"
done
trap clean_up EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

make_host() {
  local host=$1 name=$id-$1 link=v$$-$1
  ip netns add "$name"
  ip link add "$link" netns "$id-switch" type veth peer name eth0 netns "$name"
  ip -n "$id-switch" link set "$link" master bridge up
  ip -n "$name" address add "10.99.0.$host/24" dev eth0
  ip -n "$name" link set lo up
  ip -n "$name" link set eth0 up
  ip -n "$name" link set eth0 gso_max_size 16384
  tc -n "$name" qdisc add dev eth0 root tbf rate "$rate" burst 32kb latency 400ms
  tc -n "$id-switch" qdisc add dev "$link" root tbf rate "$rate" burst 32kb latency 400ms
  # What `ip netns exec` shows as /etc/hosts inside.
  mkdir -p "/etc/netns/$name"
  cp "$files/hosts" "/etc/netns/$name/hosts"
}

make_all() {
  ip netns add "$id-switch"
  ip -n "$id-switch" link add bridge type bridge
  ip -n "$id-switch" link set bridge up
  echo "127.0.0.1 localhost" >"$files/hosts"
  for host in $(seq "$hosts"); do
    echo "10.99.0.$host host$host" >>"$files/hosts"
    echo "host$host slots=1" >>"$files/hostfile"
  done
  for host in $(seq "$hosts"); do make_host "$host"; done
}

reason=$(make_all 2>&1) || skip "no namespace, bridge or tbf: $reason"

# own_cores: those that this process may run on.
own_cores() {
  local part
  for part in $(grep -s Cpus_allowed_list /proc/self/status | cut -f 2 | tr , ' '); do
    seq "${part%-*}" "${part#*-}"
  done
}

export ORACLE_TESTBED=$id
ORACLE_TESTBED_CORES=$(own_cores | tr '\n' ' ')
export ORACLE_TESTBED_CORES
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=$here/agent.sh OMPI_MCA_orte_default_hostfile=$files/hostfile
export OMPI_MCA_oob_tcp_if_include=10.99.0.0/24 OMPI_MCA_btl_tcp_if_include=10.99.0.0/24
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_hwloc_base_binding_policy=none
"$here/agent.sh" host1 "$(printf '%q ' "$@")"
