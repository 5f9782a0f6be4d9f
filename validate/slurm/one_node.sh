#!/usr/bin/env bash
# one_node.sh <command>...: runs the command where sbatch and srun reach a Slurm of this machine alone, and
# takes it down again:
#
#   validate/slurm/one_node.sh sbatch --wait validate/slurm/train.sbatch resnet18 --strategy data:2 --batch 8
#
# Wants root and Debian's slurmctld, slurmd, slurm-client and munge. Configuration, key, state and logs lie in
# a folder of its own; what is installed in /etc is left alone.
set -euo pipefail

if (($# == 0)); then
  echo "one_node.sh: name a command, such as: sbatch --wait train.sbatch --plan plan.json" >&2
  exit 2
fi
for program in munged slurmctld slurmd scontrol srun; do
  if ! command -v "$program" >/dev/null; then
    echo "one_node.sh: no $program; install slurmctld slurmd slurm-client munge" >&2
    exit 3
  fi
done
if ((EUID != 0)); then
  echo "one_node.sh: only root can start slurmd" >&2
  exit 3
fi

folder=$(mktemp -d)
chmod 755 "$folder"
host=$(hostname -s)
daemons=()

# Jobs first, then daemons, the newest first; each is waited for.
stop() {
  local pid tries
  if ((${#daemons[@]} == 3)); then
    scancel --full --user=root || true
    for ((tries = 0; tries < 600; tries++)); do
      if [[ -z $(squeue --noheader 2>/dev/null) ]]; then break; fi
      sleep 0.1
    done
  fi
  for pid in $(printf '%s\n' "${daemons[@]}" | tac); do
    kill "$pid" 2>/dev/null || continue
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  done
  rm -rf "$folder"
}
trap stop EXIT

# fail <what>: with the last lines of every log.
fail() {
  tail -n 20 "$folder"/*.log >&2
  echo "one_node.sh: $1" >&2
  exit 3
}

# started <program> <pid file>: its process is stopped at the end.
started() {
  local tries
  for ((tries = 0; tries < 100; tries++)); do
    if [[ -s $2 ]]; then
      daemons+=("$(<"$2")")
      return
    fi
    sleep 0.1
  done
  fail "$1 did not start"
}

head -c 128 /dev/urandom >"$folder/munge.key"
chmod 600 "$folder/munge.key"
munged --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" || fail 'munged did not start'
started munged "$folder/munged.pid"

cat >"$folder/slurm.conf" <<CONF
ClusterName=one_node
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17817
SlurmdPort=17818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
$(slurmd -C | head -n 1) NodeAddr=127.0.0.1 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
mkdir "$folder/state" "$folder/spool"
slurmctld -c || fail 'slurmctld did not start'
started slurmctld "$folder/slurmctld.pid"
slurmd -c || fail 'slurmd did not start'
started slurmd "$folder/slurmd.pid"
for ((tries = 0; tries < 100; tries++)); do
  if sinfo --noheader --format=%T 2>/dev/null | grep -q '^idle'; then break; fi
  sleep 0.2
done
sinfo --noheader --format=%T | grep -q '^idle' || fail 'the node is not idle'

"$@"
