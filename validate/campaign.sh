#!/usr/bin/env bash
# campaign.sh [--out DIR] [--minutes M] [--parts NAME,...] [--dry-run] [--device gpu|cpu] [--scale small] [--build DIR]:
# measures a machine with a GPU, the most valuable first: the tests that need one, what memory and matrix products
# reach, training of every network beside PyTorch where python3 has it, ranks that share a GPU, collectives.
#
# DIR (campaign) gets a JSON file for each part, whole after each point, so the same command goes on where the last one
# ended: after M minutes (60), at a signal, or at a failure. What fails is kept with its message. --device cpu measures
# processors in the same way, --scale small tiny networks; --build names a build folder (of the tree: build).
# Exit codes: 0 all there is was measured or the time is over, 1 something failed, 2 not understood, 3 no GPU.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$(dirname "$here")
# shellcheck source=validate/campaign/engine.sh
source "$here/campaign/engine.sh"
# shellcheck source=validate/campaign/parts.sh
source "$here/campaign/parts.sh"
# shellcheck source=validate/campaign/context.sh
source "$here/campaign/context.sh"
out=campaign minutes=60 wanted='' dry='' device=gpu scale=full build='' python='' most=900
not_measured=() points=0 incomplete=0 mps=''

refuse() {
  echo "campaign.sh: $1" >&2
  exit "$2"
}

read_words() {
  while (($#)); do
    case $1 in
      --dry-run) dry=yes ;;
      --help)
        sed -n '2,11s/^# \{0,1\}//p' "$here/campaign.sh"
        exit 0
        ;;
      --out | --minutes | --parts | --device | --scale | --build)
        (($# > 1)) || refuse "$1 has no value; --help says what there is" 2
        case $1 in
          --out) out=$2 ;;
          --minutes) minutes=$2 ;;
          --parts) wanted=$2 ;;
          --device) device=$2 ;;
          --scale) scale=$2 ;;
          --build) build=$2 ;;
        esac
        shift
        ;;
      *) refuse "\"$1\" is no option; --help says which there are" 2 ;;
    esac
    shift
  done
}

check_words() {
  local name
  [[ $minutes =~ ^[0-9]{1,6}$ ]] || refuse "--minutes: \"$minutes\" is not an integer of minutes" 2
  [[ $device == gpu || $device == cpu ]] || refuse "--device: \"$device\" is neither gpu nor cpu" 2
  [[ $scale == full || $scale == small ]] || refuse "--scale: \"$scale\" is neither full nor small" 2
  wanted=${wanted:-${parts// /,}}
  for name in ${wanted//,/ }; do
    [[ " $parts " == *" $name "* ]] || refuse "--parts: no part is called \"$name\"; there are ${parts// /, }" 2
  done
}

find_torch() {
  for python in python3 /usr/bin/python3 ''; do
    if [[ ! $python ]] || "$python" -c 'import torch, torchvision' 2>/dev/null; then break; fi
  done
}

find_programs() {
  if [[ -z $build && -x $root/../../bin/oracle ]]; then
    bin=$(readlink -f "$root/../../bin")
  else
    build=${build:-$root/build}
    bin=$build/bin
  fi
  [[ -x $bin/oracle-train ]] || refuse "no $bin/oracle-train; build it, or name a build folder by --build" 3
  bin=$(readlink -f "$bin")
  [[ -z $build ]] || build=$(readlink -f "$build")
  mpirun=$bin/mpirun
  [[ -x $mpirun ]] || mpirun=mpirun
  if [[ ,$wanted, == *,pytorch,* ]]; then find_torch; fi
  export ORACLE_DATA=$root OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export PYTHONDONTWRITEBYTECODE=1
}

# A program that is asked for a GPU where there is none says so in a sentence.
require_gpu() {
  [[ $device == gpu ]] || return 0
  bounded 300 "$bin/oracle-bench" --backend gpu --cases small.txt --seconds 1 --out probe.json ||
    refuse "$(<"$work/said")" 3
}

# left_out <why>
left_out() { not_measured+=("$part: $1"); }

# one_part <name> <seconds>: for so long at most. False where points are left.
one_part() {
  local before=$points
  if ! begin_part "$1" "$2"; then return 0; fi
  if [[ $dry ]]; then echo "$1"; fi
  "part_$1"
  [[ ! $over ]] || return 1
  if [[ ! $dry ]] && ((points > before)); then write_part true; fi
}

# Each part has its share of the time, so that none keeps another from what is most valuable in it; what is left of the
# time then goes to the first that is not complete.
all_parts() {
  local name rest=()
  for name in ${wanted//,/ }; do
    one_part "$name" $((minutes * 60 * ${share_of[$name]} / 100)) || rest+=("$name")
  done
  last_round=yes
  incomplete=0
  for name in "${rest[@]}"; do
    one_part "$name" $((minutes * 60)) || incomplete=$((incomplete + 1))
  done
}

finish() {
  if [[ $child ]]; then
    kill -TERM "$child" 2>/dev/null
    wait "$child" 2>/dev/null
  fi
  if [[ $mps ]]; then echo quit | CUDA_MPS_PIPE_DIRECTORY=$work/pipes nvidia-cuda-mps-control >/dev/null 2>&1; fi
  rm -rf "$work"
}

# What is where, and how it ended.
report() {
  local name failed status=0
  printf '%s\n' "${not_measured[@]}" | sort -u | sed -n 's/^./left out: &/p'
  if [[ $dry ]]; then
    echo "$points points"
    return
  fi
  for name in ${wanted//,/ }; do
    [[ -e $out/$name.json ]] || continue
    failed=$(grep -c '^  {"point": .*"status": "failed"' "$out/$name.json")
    echo "$name: $(grep -c '"status": "done"' "$out/$name.json") measured, $failed failed"
    ((failed == 0)) || status=1
  done
  if ((incomplete > 0)); then echo 'the time is over; the same command goes on from here'; fi
  return "$status"
}

read_words "$@"
check_words
find_programs
work=$(mktemp -d)
cp "$here"/campaign/cases/*.txt "$work/"
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [[ ! $dry ]]; then
  mkdir -p "$out" || exit 3
  out=$(readlink -f "$out")
  require_gpu
  write_context
  refuse_another_machine
fi
all_parts
report
