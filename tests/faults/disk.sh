#!/usr/bin/env bash
# disk.sh <oracle-train> <oracle-bench-input> <oracle> <models>: where the result does not fit
# on the disk, the exit code is 3, one line names file and reason, and nothing is left: no half of a result, no
# process.
set -euo pipefail
train=$1 input=$2 oracle=$3 models=$4
scratch=$(mktemp -d)
disk=
clean_up() {
  if [[ -n $disk ]]; then umount "$disk"; fi
  rm -rf "$scratch"
}
trap clean_up EXIT

fail() {
  echo "disk.sh: $1"
  cat "$scratch/out" "$scratch/err" 2>/dev/null
  exit 1
}

# full <what> <reason> <command>...: is refused for want of room, and leaves no process behind.
full() {
  local status=0 left
  "${@:3}" >"$scratch/out" 2>"$scratch/err" || status=$?
  ((status == 3)) || fail "$1: exit $status instead of 3"
  (($(grep -cF "$2: No space left on device" "$scratch/err") == 1)) || fail "$1: not one line names $2"
  if grep -q 'is gone' "$scratch/err"; then fail "$1: a rank is missed though all had parted"; fi
  left=$(pgrep -f "$scratch" || true)
  [[ -z $left ]] || fail "$1: processes are left: $left"
}

cp "$models/residual.json" "$scratch/net.json"
ranks=(mpirun --oversubscribe --bind-to none -np 2)
run=("$train" "$scratch/net.json" --strategy data:2 --batch 4 --steps 2)
once=("${run[@]:0:6}" --steps 1)

full 'a device without room' /dev/full "${ranks[@]}" "${run[@]}" --out /dev/full
full 'validate on a device without room' /dev/full "$oracle" validate "$scratch/net.json" \
  --strategy serial --batch 2 --steps 2 --out /dev/full
full 'samples on a device without room' /dev/full "$input" --folder "$scratch" --checkpoint '1 kB' \
  --seconds 0.1 --out /dev/full

mkdir "$scratch/disk"
if ! mount -t tmpfs -o size=4k,nr_inodes=16 none "$scratch/disk" 2>/dev/null; then
  echo "disk.sh: the part with a full disk is passed over: no tmpfs can be mounted here (root can)"
  exit 0
fi
disk=$scratch/disk
full 'a full disk' "cannot write $disk/run.json" "${ranks[@]}" "${run[@]}" --out "$disk/run.json"
full 'a full disk for checkpoints' 'cannot be written' "$input" --folder "$disk" --checkpoint '1 MB' \
  --seconds 0.1 --out "$scratch/input.json"
[[ -z $(ls -A "$disk") ]] || fail "something is left on the disk: $(ls -A "$disk")"

# An earlier result stays as it was.
echo kept >"$disk/run.json"
full 'an earlier result' "cannot write $disk/run.json" "${ranks[@]}" "${run[@]}" --out "$disk/run.json"
[[ $(ls -A "$disk") == run.json && $(<"$disk/run.json") == kept ]] || fail 'the earlier result is not as it was'

# A checkpoint that does not fit leaves the one before it, from which the run goes on.
rm "$disk/run.json"
mount -o remount,size=64k,nr_inodes=64 "$disk"
"${ranks[@]}" "${once[@]}" --checkpoint "$disk/kept" >"$scratch/out" 2>&1 || fail 'a checkpoint does not fit'
head -c 64k /dev/zero >"$disk/full" 2>/dev/null || true
status=0
"${ranks[@]}" "${run[@]}" --resume "$disk/kept" --checkpoint "$disk/kept" >"$scratch/out" 2>"$scratch/err" || status=$?
((status == 3)) || fail "a full disk for a checkpoint: exit $status instead of 3"
grep -qF "cannot write $disk/kept/step-000000000002.safetensors: No space left on device" "$scratch/err" ||
  fail 'a full disk for a checkpoint is not named'
[[ $(ls -A "$disk/kept") == step-000000000001.safetensors ]] || fail "not one checkpoint: $(ls -A "$disk/kept")"
rm "$disk/full"
"${ranks[@]}" "${run[@]}" --resume "$disk/kept" --checkpoint "$disk/kept" >"$scratch/out" 2>&1 || fail 'is not resumed'
