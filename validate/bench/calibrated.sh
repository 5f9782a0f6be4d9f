#!/usr/bin/env bash
# calibrated.sh [--quick|--full|--exact] [--steps N] [--out FOLDER]: calibrates this machine, predicts, trains
# and compares, network by network, in one run, and prints the signed errors of the step and its parts.
# --quick and --full (the default) measure a grid that holds no network's shapes on purpose; --exact measures
# the very layers instead. All runs are kept as FOLDER/results.json (data/results). Bars: |error| at most 5 % in
# the median of serial and data-parallel runs, 20 % at worst, 10 % in the median of layers; exit code 1 where one is
# missed. $ORACLE_BIN names the folder of the programs (build/bin).
set -euo pipefail
root=$(readlink -f "$(dirname "$0")/../..")
bin=${ORACLE_BIN:-$root/build/bin} grid=--full steps=6 out=
while (($# > 0)); do
  case $1 in
    --quick | --full | --exact) grid=$1 ;;
    --steps | --out)
      if (($# < 2)); then
        echo "calibrated.sh: $1 has no value" >&2
        exit 2
      fi
      if [[ $1 == --steps ]]; then steps=$2; else out=$2; fi
      shift
      ;;
    *)
      sed -n '2,7s/^# //p' "$0" >&2
      exit 2
      ;;
  esac
  shift
done
export ORACLE_DATA=${ORACLE_DATA:-$root}
if [[ -z $out ]]; then
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out"

# network, batch of a rank, input: reduced so that a run is a matter of minutes.
networks='resnet50 4 3x128x128
vgg16 2 3x224x224
alexnet 8 3x224x224
mobilenet_v2 8 3x128x128
googlenet 4 3x128x128
cosmoflow 1 4x64x64x64'

calibrate() { "$bin/oracle" calibrate "$@" >"$out/calibration.txt"; }
profile=$out/profile.json
if [[ $grid == --quick ]]; then calibrate --quick -o "$profile"; fi
if [[ $grid == --full ]]; then calibrate -o "$profile"; fi

while read -r network each input; do
  if [[ $grid == --exact ]]; then
    profile=$out/profile.$network.json
    calibrate --for "$network" --batch "$each" --input "$input" -o "$profile"
  fi
  for strategy in serial data:2; do
    batch=$each
    if [[ $strategy == data:2 ]]; then batch=$((2 * each)); fi
    status=0
    "$bin/oracle" validate "$network" --cluster "$profile" --strategy "$strategy" --batch "$batch" \
      --input "$input" --steps "$steps" --rate 0.0001 --format json </dev/null \
      >"$out/$network-${strategy/:/}.json" 2>"$out/errors.txt" || status=$?
    if ((status > 1)); then
      cat "$out/errors.txt" >&2
      exit "$status"
    fi
  done
done <<<"$networks"

errors=$root/validate/bench/signed_errors.py
/usr/bin/python3 "$errors" collect "${grid#--}" "$out" >"$out/results.json"
/usr/bin/python3 "$errors" judge "$out/results.json"
