#!/usr/bin/env bash
# leave.sh <faults>: rank 0 leaves with code 2 while the others are still parting; the launcher, which ends
# them for it, passes on that code, and none of them says that a rank is gone.
set -euo pipefail
said=$(mktemp)
trap 'rm -f "$said"' EXIT

code=0
mpirun --oversubscribe --bind-to none -np 3 "$1" leave 0 30 >"$said" 2>&1 || code=$?
if ((code != 2)) || ! grep -qx trained "$said" || grep -q 'is gone' "$said"; then
  cat "$said"
  echo "leave.sh: exit code $code, due 2, after training, with no rank missed"
  exit 1
fi
