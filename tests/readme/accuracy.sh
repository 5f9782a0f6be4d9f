#!/usr/bin/env bash
# accuracy.sh <root> <oracle> [README.md]: the table of accuracy in the README of the root is the one that
# `oracle accuracy` and data/results give; so are data/accuracy.json, and the half-widths of intervals.
set -euo pipefail
root=$(readlink -f "$1")
oracle=$(readlink -f "$2")
readme=${3:-$root/README.md}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

ORACLE_DATA=$root "$oracle" accuracy --format json -o "$scratch/answer.json"
/usr/bin/python3 -B "$root/validate/bench/calibrated/signed_errors.py" accuracy "$scratch/answer.json" \
  "$root"/data/results/*.json >"$scratch/due"
/usr/bin/python3 -B "$root/tests/readme/classes.py" "$scratch/answer.json" >"$scratch/classes.json"
diff "$scratch/classes.json" "$root/data/accuracy.json" || {
  echo "accuracy.sh: data/accuracy.json (>) is not what oracle accuracy computes (<): tests/readme/classes.py writes it"
  exit 1
}
/usr/bin/python3 -B "$root/tests/readme/intervals.py" "$scratch/answer.json" "$root/oracle/cost/uncertainty.cpp"
sed -n '/^<!-- accuracy -->$/,/^<!-- \/accuracy -->$/p' "$readme" | sed '1d;$d' >"$scratch/shown"
diff "$scratch/due" "$scratch/shown" || {
  echo "accuracy.sh: $readme shows another table (>) than that of oracle accuracy and data/results (<)"
  exit 1
}
