#!/usr/bin/env bash
# results.sh <root>: the table of validate/bench/README.md is the one of data/results, and a judge that lets
# everything pass is none.
set -euo pipefail
cd "$1"
errors=validate/bench/signed_errors.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

/usr/bin/python3 "$errors" table data/results/*.json >"$scratch/due"
sed -n '/^<!-- results -->$/,/^<!-- \/results -->$/p' validate/bench/README.md | sed '1d;$d' >"$scratch/shown"
diff "$scratch/due" "$scratch/shown" || {
  echo "results.sh: validate/bench/README.md shows another table than that of data/results"
  exit 1
}

# A run told exactly passes; one told half as long does not.
run='{"model": "m", "input": "", "strategy": "serial", "batch": 1, "uncertainty": 0.1, "inside": true,
  "parts": {"forward": [1, 1], "backward": [1, 1], "update": [1, 1], "step": [STEP, 3]}, "layers": [["a", 1, 1]]}'
judged() {
  local status=0
  echo "{\"runs\": [${run/STEP/$1}]}" >"$scratch/one.json"
  /usr/bin/python3 "$errors" judge "$scratch/one.json" >"$scratch/said" || status=$?
  ((status == $2)) || {
    cat "$scratch/said"
    echo "results.sh: a step of 3 told as $1: exit $status instead of $2"
    exit 1
  }
}
judged 3 0
judged 1.5 1
grep -q -- '-50.0 %' "$scratch/said"
