#!/usr/bin/env bash
# links.sh <oracle-bench-links> <ranks_links> <ranks> <tier> <Mbit/s> [mpirun's options...]: the links between
# ranks are measured, and their fits are near the rate of the link (0: not known).
set -euo pipefail
bench=$1 judge=$2 ranks=$3 tier=$4 rate=$5
shift 5

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mpirun "$@" -np "$ranks" "$bench" --quick --seconds 10 --largest "4 MB" --out "$folder/links.json"
judged=0
"$judge" "$folder/links.json" "$tier" "$rate" || judged=$?
((judged == 0)) || exit "$judged"

# Without a launcher it starts its ranks itself.
if [[ $tier == machine ]]; then
  "$bench" --ranks "$ranks" --quick --seconds 2 --largest "4 kB" --out "$folder/own.json"
  grep -q '"all_reduce"' "$folder/own.json"
fi

# What cannot be measured or written has its own exit code, said once.
expect() {
  local due=$1 text=$2 status=0
  shift 2
  "$@" >"$folder/said" 2>&1 || status=$?
  if ((status != due)) || (($(grep -c -- "$text" "$folder/said") != 1)); then
    cat "$folder/said"
    echo "links.sh: exit code $status, due $due with \"$text\" once: ${*}"
    exit 1
  fi
}
expect 2 "a single rank has no partner" mpirun "$@" -np 1 "$bench" --out "$folder/none.json"
expect 2 "\"--fast\" is not an option of this command" mpirun "$@" -np "$ranks" "$bench" --fast --out "$folder/none.json"
[[ ! -e $folder/none.json ]] || { echo "links.sh: a file was left behind"; exit 1; }
