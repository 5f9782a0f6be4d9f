#!/usr/bin/env bash
# gpu.sh <mpirun> <ranks> <program> <word>...: runs a program of several ranks on GPUs; skipped (77) where there is no
# GPU, unless ORACLE_EXPECT_GPU is set.
set -uo pipefail
said=$("$1" --oversubscribe --bind-to none -np "$2" "${@:3}" 2>&1)
status=$?
printf '%s\n' "$said"
if ((status == 3)) && [[ -z ${ORACLE_EXPECT_GPU-} && $said =~ there\ is\ no\ GPU ]]; then exit 77; fi
exit "$status"
