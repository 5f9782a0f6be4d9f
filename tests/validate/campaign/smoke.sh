#!/usr/bin/env bash
# smoke.sh <root> <build folder>: on tiny networks a whole campaign of this processor measures what its reader needs,
# and one that wants a GPU says in a sentence that there is none.
set -Eeuo pipefail
root=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'echo "smoke: line $LINENO failed"' ERR

"$root/validate/campaign.sh" --build "$build" --device cpu --scale small --out "$scratch/campaign" >"$scratch/said" 2>&1 || {
  cat "$scratch/said"
  exit 1
}
"$root/validate/campaign/collect.py" "$scratch/campaign" -o "$scratch/collected.json"
/usr/bin/python3 - "$scratch/collected.json" <<'PYTHON'
import json, sys
parts = json.load(open(sys.argv[1]))["parts"]
assert set(parts) >= {"ceilings", "training", "ranks_per_gpu", "collectives"}, set(parts)
runs = [point["result"] for name in ("training", "ranks_per_gpu") for point in parts[name]["points"]]
for run in runs:
    assert {"forward", "backward", "update"} <= set(run["phase_seconds"]), run["phase_seconds"]
    assert len(run["layer_seconds"]) > 100, len(run["layer_seconds"])
    assert run["peak_memory_bytes"] > 1e6, run["peak_memory_bytes"]
assert {run["ranks"] for run in runs} == {1, 2}
operations = {row["operation"] for row in parts["collectives"]["points"][0]["result"]["links"]}
assert {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"} <= operations, operations
torch = parts.get("pytorch")
assert torch is None or torch["points"][0]["result"]["phase_seconds"]["backward"] > 0
PYTHON

# Where a GPU is, this is no place to measure it.
if [[ -e /dev/nvidiactl ]]; then exit 0; fi
status=0
"$root/validate/campaign.sh" --build "$build" --out "$scratch/gpu" >"$scratch/said" 2>&1 || status=$?
((status == 3)) || {
  cat "$scratch/said"
  echo "smoke: asked for a GPU: exit $status instead of 3"
  exit 1
}
[[ $(wc -l <"$scratch/said") == 1 && ! $(ls "$scratch/gpu") ]]
