#!/usr/bin/env bash
# inside.sh <bundle>: in a root with nothing but a shell, every library of the bundle is found, and its programs plan,
# train on two ranks, calibrate, and say in a sentence that there is no GPU.
set -Eeuo pipefail
trap 'echo "bundle: line $LINENO of inside.sh failed"' ERR
bundle=$1
bin=$bundle/bin
cd /tmp

fail() {
  printf '%s\n' "bundle: $*"
  exit 1
}

# run <exit code> <text to be said> <command>...
run() {
  local status=0
  timeout 300 "${@:3}" >/tmp/said 2>&1 </dev/null || status=$?
  ((status == $1)) || fail "${*:3}: exit $status instead of $1: $(</tmp/said)"
  # What Open MPI and PMIx say of a text or a plugin that they miss.
  [[ ! $(</tmp/said) =~ (Sorry!|unable to open|WARNING) ]] || fail "${*:3}: $(</tmp/said)"
  [[ $(</tmp/said) == *"$2"* ]] || fail "${*:3}: does not say \"$2\" but: $(</tmp/said)"
}

# Programs and modules alone; libraries and plugins as a program finds them.
libraries_are_found() {
  local file missing count=0 own
  own=$(find "$bundle/lib/oracle" -maxdepth 0)
  while IFS= read -r file; do
    [[ $(head -c 4 "$file" | tr -d '\0') == $'\x7fELF' ]] || continue
    count=$((count + 1))
    if [[ $file == "$bin"/* || ${file##*/} == oracle-*.so ]]; then
      missing=$(ldd "$file" | awk '/not found/ { print $1 }')
    else
      missing=$(LD_LIBRARY_PATH=$own ldd "$file" | awk '/not found/ { print $1 }')
    fi
    if [[ ${file##*/} == oracle-*.so ]]; then
      missing=$(grep -vE '^lib(cudnn|cublasLt|nccl)\.so' <<<"$missing" || true)
    fi
    [[ -z $missing ]] || fail "$file lacks $missing"
  done < <(find "$bundle" -type f)
  ((count > 30)) || fail "$count programs and libraries are too few to be all"
  echo "$count programs and libraries find what they need"
}

[[ $(id -u 2>/dev/null || echo "$UID") != 0 ]] || fail 'this is root'
libraries_are_found

no_gpu='there is no GPU driver on this machine'
[[ -e $bundle/lib/oracle/oracle-kernels-gpu.so ]] || no_gpu=''

# What the bundle's README shows; what wants a GPU says that there is none.
cd "$bundle"
while IFS= read -r line; do
  read -ra words <<<"$line"
  if [[ ${words[0]} == bin/* ]]; then run 0 '' "${words[@]}"; else run 3 "$no_gpu" "${words[@]}"; fi
done < <(sed -n '/^```sh$/,/^```$/p' README.md | grep -v '^```')
cd /tmp

model=$bundle/share/oracle/tests/validate/models/residual.json
run 0 'data:64   step ' "$bin/oracle" plan resnet50 --cluster abci --gpus 64
run 0 'step measured ' "$bin/oracle" validate "$model" --strategy data:2 --batch 4 --steps 2
run 0 'equals the serial run' "$bin/mpirun" --oversubscribe --bind-to none -np 2 "$bin/oracle-train" "$model" \
  --strategy data:2 --batch 4 --steps 2 --check
# Without mpirun too.
run 0 'on 1 ranks' "$bin/oracle-train" "$model" --batch 4 --steps 2
run 0 '' "$bin/oracle" calibrate --for "$model" --batch 2 --quick --seconds 2 --link-ranks 1 -o here.json
run 0 'step ' "$bin/oracle" estimate "$model" --cluster here.json --strategy serial --batch 2
run 0 '' "$bin/oracle-bench-links" --ranks 2 --quick --seconds 2 --largest '64 kB' --out links.json

if [[ $no_gpu ]]; then
  run 3 "$no_gpu" "$bin/oracle-train" "$model" --device gpu --batch 2
  run 3 "$no_gpu" "$bin/oracle-bench" --backend gpu --out gpu.json
  run 3 "$no_gpu" "$bin/oracle-bench-links" --ranks 2 --device gpu --out gpu.json
  run 3 "$no_gpu" "$bin/oracle" validate "$model" --strategy data:2 --batch 4 --device gpu --ranks-per-gpu 2 \
    --cluster h200-node
fi
run 0 'training: 2 measured, 0 failed' "$bundle/campaign.sh" --device cpu --scale small --out campaign \
  --parts ceilings,training,ranks_per_gpu,collectives
run 0 'ranks_per_gpu: 1 measured' "$bundle/campaign.sh" --device cpu --scale small --out campaign
echo 'all of it runs'
