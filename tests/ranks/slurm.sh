#!/usr/bin/env bash
# slurm.sh <folder of programs> <root>: the job script runs under a Slurm of this machine alone, and says what
# it refuses. Skipped, with the reason, where no Slurm can be started.
set -euo pipefail
programs=$1 root=$2
slurm=$root/validate/slurm
model=$root/tests/validate/models/residual.json
for program in munged slurmctld slurmd sbatch; do
  if ! command -v "$program" >/dev/null; then
    echo "slurm.sh: no $program; install slurmctld slurmd slurm-client munge"
    exit 77
  fi
done
if ((EUID != 0)) || (($(nproc) < 2)); then
  echo 'slurm.sh: wants root and two cores'
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export PATH=$programs:$PATH

fail() {
  echo "slurm.sh: $1"
  cat oracle-train-*.log said 2>/dev/null
  exit 1
}

oracle estimate "$model" --cluster xeon-ethernet --strategy height:2 --batch 8 --format json -o plan.json
# shellcheck disable=SC2016 # for the shell that runs beside the daemons
"$slurm/one_node.sh" bash -c 'sbatch --wait "$1" --plan plan.json --steps 2; echo "planned: $?"
  sbatch --wait "$1" "$2" --strategy data:4 --batch 4; echo "refused: $?"' bash "$slurm/train.sbatch" "$model" >said 2>&1 ||
  fail "one_node.sh: exit $?"
grep -qx 'planned: 0' said || fail 'the job failed'
grep -q 'residual, height:2, batch 8, 2 steps on 2 ranks' oracle-train-1.log || fail 'the job trained nothing'
[[ -s run-1.json ]] || fail 'the job left no result'
grep -qx 'refused: 2' said || fail 'the job of four ranks was not refused'
grep -q 'it has 4 ranks, and 2 were started' oracle-train-2.log || fail 'the job does not say why'
