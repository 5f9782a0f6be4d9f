#!/usr/bin/env bash
# calibrated.sh [--quick|--full|--exact] [--steps N] [--out FOLDER]: calibrates this machine, predicts, trains
# and compares, network by network, in one run, and prints the signed errors of the step and its parts.
# --quick and --full (the default) measure a grid that holds no network's shapes on purpose; --exact measures
# the very layers instead. Bars: |error| at most 5 % in the median of serial and data-parallel runs, 20 % at
# worst; exit code 1 where one is missed. $ORACLE_BIN names the folder of the programs (build/bin).
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
      sed -n '2,6s/^# //p' "$0" >&2
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
if [[ $grid == --quick ]]; then calibrate --quick -o "$out/profile.json"; fi
if [[ $grid == --full ]]; then calibrate -o "$out/profile.json"; fi

while read -r network each input; do
  if [[ $grid == --exact ]]; then
    calibrate --for "$network" --batch "$each" --input "$input" -o "$out/profile.json"
  fi
  for strategy in serial data:2; do
    batch=$each
    if [[ $strategy == data:2 ]]; then batch=$((2 * each)); fi
    status=0
    "$bin/oracle" validate "$network" --cluster "$out/profile.json" --strategy "$strategy" --batch "$batch" \
      --input "$input" --steps "$steps" --rate 0.0001 --format json </dev/null \
      >"$out/$network-${strategy/:/}.json" 2>"$out/errors.txt" || status=$?
    if ((status > 1)); then
      cat "$out/errors.txt" >&2
      exit "$status"
    fi
  done
done <<<"$networks"

/usr/bin/python3 - "$out" <<'PYTHON'
import glob, json, statistics, sys

def error(predicted, measured):
    return (predicted - measured) / measured if measured else None

def text(value):
    return "" if value is None else f"{100 * value:+.1f} %"

rows, inside, layers = [], 0, []
for path in sorted(glob.glob(f"{sys.argv[1]}/*-*.json")):
    with open(path) as file:
        run = json.load(file)
    part = {p["part"]: (p["predicted"]["value"], p["measured"]["value"]) for p in run["parts"]}
    step = part["step"]
    # What no item holds (samples being made) is nobody's prediction; both figures are printed.
    rest = part["rest"][1]
    items = error(step[0], step[1] - rest)
    rows.append((run["model"], run["strategy"], step, error(*step), items,
                 error(*part["forward"]), error(*part["backward"]), error(*part["update"])))
    inside += run["inside_interval"] == "yes"
    for layer in run["layers"]:
        if layer.get("predicted") and layer.get("measured") and layer["measured"]["value"] > 50e-6:
            layers.append(abs(error(layer["predicted"]["value"], layer["measured"]["value"])))

head = ("network", "strategy", "measured", "predicted", "error", "of items", "forward", "backward", "update")
table = [head] + [(r[0], r[1], f"{1e3 * r[2][1]:.1f} ms", f"{1e3 * r[2][0]:.1f} ms", *map(text, r[3:])) for r in rows]
width = [max(len(row[c]) for row in table) for c in range(len(head))]
for row in table:
    print("  ".join(cell.ljust(w) if c < 2 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, width))))
sizes = [abs(r[3]) for r in rows]
median, worst = statistics.median(sizes), max(sizes)
print(f"\nstep: median |error| {100 * median:.1f} % (bar 5 %), worst {100 * worst:.1f} % (bar 20 %), "
      f"{inside} of {len(rows)} inside the 90 % interval")
print(f"items alone: median |error| {100 * statistics.median(abs(r[4]) for r in rows):.1f} %; "
      f"layers over 50 us: median |error| {100 * statistics.median(layers):.1f} % (bar 10 %)")
sys.exit(0 if median <= 0.05 and worst <= 0.2 else 1)
PYTHON
