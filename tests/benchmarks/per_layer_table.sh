#!/usr/bin/env bash
# per_layer_table.sh <oracle> [count...]: a Markdown table of how much faster the best assignment of cuts
# to layers is than the best named strategy, for every network, three clusters and the given counts of
# ranks (8 64 512). A cluster with fewer ranks is widened: more of the same machines.
set -euo pipefail
oracle=$1
counts=("${@:2}")
if ((${#counts[@]} == 0)); then counts=(8 64 512); fi
clusters=(abci cloud-10gbe dgx-h100)

widened=$(mktemp -d)
trap 'rm -rf "$widened"' EXIT
data=$(dirname "$(readlink -f "$0")")/../../data/clusters

# wide_enough <cluster> <count>: the cluster, or a file of one that has so many ranks.
wide_enough() {
  local file=$widened/$1-$2.json
  jq --argjson count "$2" '
    ([.levels[].units] | reduce .[] as $units (1; . * $units)) as $ranks
    | if $ranks < $count then .levels[-1].units *= ($count / $ranks | ceil) else . end' \
    "$data/$1.json" >"$file"
  echo "$file"
}

# cell <model> <cluster> <count>: "2.1 %", or why there is none.
cell() {
  local answer
  answer=$("$oracle" plan "$1" --cluster "$(wide_enough "$2" "$3")" --gpus "$3" --per-layer --format json 2>/dev/null) || true
  jq -r 'if .gain == null then "does not fit"
         elif .gain.value < 0.0005 then "–"
         else "\(.gain.value * 1000 | round / 10) %" end' <<<"${answer:-{\}}"
}

heading='| network |' rule='| --- |'
for cluster in "${clusters[@]}"; do
  for count in "${counts[@]}"; do
    heading+=" $cluster × $count |"
    rule+=' ---: |'
  done
done
printf '%s\n%s\n' "$heading" "$rule"
"$oracle" list models --format csv | tail -n +2 | cut -d, -f1 | while read -r model; do
  printf '| %s |' "$model"
  for cluster in "${clusters[@]}"; do
    for count in "${counts[@]}"; do printf ' %s |' "$(cell "$model" "$cluster" "$count")"; done
  done
  printf '\n'
done
