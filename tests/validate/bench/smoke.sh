#!/usr/bin/env bash
# smoke.sh <root> <oracle-bench-step>: the benchmark of the step runs on tiny inputs and keeps what
# its reader needs. It judges no time; that no reorder can be avoided holds of kernels for AVX-512.
set -euo pipefail

out=$(mktemp)
trap 'rm -f "$out"' EXIT

"$1/validate/bench/serial_step.sh" --program "$2" --rounds 1 --scale small \
  --only resnet50 --out "$out" || {
  status=$?
  if ((status != 1)) || grep -q avx512f /proc/cpuinfo; then exit "$status"; fi
}
failed=0
for field in context processor load command step_seconds contraction_seconds rest_share flops \
  rate_of_best step_rate_of_best best_rate reorders avoidable beside bars contractions \
  alone_seconds kinds; do
  grep -q "\"$field\":" "$out" || { echo "no field \"$field\""; failed=1; }
done
passes=$(grep -c '"alone_seconds":' "$out")
# 53 convolutions and a dense layer, three passes each but for the input's gradient.
((passes == 161)) || { echo "$passes passes instead of 161"; failed=1; }
exit $failed
