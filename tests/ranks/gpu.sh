#!/usr/bin/env bash
# gpu.sh <mpirun> <ranks> <oracle-train> <model> <strategy> <precision>: trains on GPUs and compares with the serial
# run; skipped (77) where there is no GPU, unless ORACLE_EXPECT_GPU is set.
set -uo pipefail
said=$("$1" --oversubscribe --bind-to none -np "$2" "$3" "$4" --device gpu --strategy "$5" \
  --precision "$6" --batch 8 --steps 12 --check 2>&1)
status=$?
printf '%s\n' "$said"
if ((status == 3)) && [[ -z ${ORACLE_EXPECT_GPU-} && $said =~ there\ is\ no\ GPU ]]; then exit 77; fi
exit "$status"
