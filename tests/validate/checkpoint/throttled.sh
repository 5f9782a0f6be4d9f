#!/usr/bin/env bash
# throttled.sh <oracle> <oracle-bench-input> <image>: checkpoints and samples on a disk whose speed is limited
# (a loop device whose bytes a second the kernel limits) take what a description of that disk predicts. Exit code 77
# where no such disk can be made: that takes root, loop devices and cgroup v1's blkio.
set -euo pipefail
oracle=$(readlink -f "$1") input=$(readlink -f "$2") image=$(readlink -f "$3")
limits=/sys/fs/cgroup/blkio
write_rate=4000000 read_rate=16000000
scratch=$(mktemp -d)
device='' mounted=''
clean_up() {
  if [[ -n $mounted ]]; then umount "$scratch/disk"; fi
  if [[ -n $device ]]; then
    # A limit of 0 is none.
    for what in read write; do echo "$number 0" >"$limits/blkio.throttle.${what}_bps_device" || true; done
    losetup -d "$device"
  fi
  rm -rf "$scratch"
}
trap clean_up EXIT

skip() {
  echo "throttled.sh: passed over: $1"
  exit 77
}
fail() {
  echo "throttled.sh: $1"
  cat "$scratch/said" 2>/dev/null
  exit 1
}

((EUID == 0)) || skip 'only root makes loop devices'
[[ -w $limits/blkio.throttle.write_bps_device ]] || skip "no $limits: writes of the page cache cannot be limited"
truncate -s 128M "$scratch/image"
device=$(losetup -f --show "$scratch/image" 2>/dev/null) || { device='' && skip 'no loop device can be made'; }
number=$(lsblk -ndo MAJ:MIN "$device" | tr -d ' ')
mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0 "$device" 2>/dev/null || skip 'there is no mkfs.ext4'
mkdir "$scratch/disk"
mount "$device" "$scratch/disk" 2>/dev/null || skip 'it cannot be mounted'
mounted=yes
echo "$number $write_rate" >"$limits/blkio.throttle.write_bps_device" 2>/dev/null || skip 'writes cannot be limited'
echo "$number $read_rate" >"$limits/blkio.throttle.read_bps_device" 2>/dev/null || skip 'reads cannot be limited'

cat >"$scratch/slow.json" <<'JSON'
{
  "schema": "oracle/storage/1",
  "name": "a loop device with limits",
  "of": "host",
  "read": [{"processes": 1, "bandwidth": "16 MB/s"}],
  "write": [{"processes": 1, "bandwidth": "4 MB/s"}],
  "open": "0 s",
  "sources": [{"kind": "datasheet", "text": "the limits that are set", "figures": ["read", "write", "open"]}]
}
JSON
cat >"$scratch/net.json" <<'JSON'
{
  "schema": "oracle/model/1",
  "name": "wide",
  "description": "Two dense layers, 1.6 million parameters",
  "sources": ["made for tests"],
  "input": {"channels": 3, "height": 16, "width": 16},
  "classes": 10,
  "layers": [
    {"name": "flat", "kind": "flatten"},
    {"name": "fc1", "kind": "dense", "features": 2048},
    {"name": "relu", "kind": "activation"},
    {"name": "fc2", "kind": "dense", "features": 10},
    {"name": "loss", "kind": "softmax_loss"}
  ]
}
JSON

# number <key>: of the run's checkpoints.
number_of() { sed -n '/"checkpoints"/,/}/p' "$scratch/run.json" | grep -oE "\"$1\": *[0-9.e+-]+" | grep -oE '[0-9.e+-]+$'; }
# near <measured> <predicted> <share>
near() { awk -v m="$1" -v p="$2" -v s="$3" 'BEGIN { exit !(m > p * (1 - s) && m < p * (1 + s)) }'; }

for mode in synchronous asynchronous; do
  "$oracle" validate "$scratch/net.json" --strategy data:2 --batch 8 --optimizer momentum --steps 4 \
    --checkpoint "$scratch/disk/$mode" --checkpoint-mode "$mode" --storage "$scratch/slow.json" \
    --out "$scratch/run.json" >"$scratch/said" 2>&1 || fail "$mode: exit $?"
  tr -s ' \n' ' ' <"$scratch/said" | grep -q 'checkpoints 1 of .* predicted ' || fail 'no prediction stands beside the measurement'
  bytes=$(number_of bytes) written=$(number_of write_seconds) waited=$(number_of wait_seconds)
  predicted=$(awk -v b="$bytes" -v r=$write_rate 'BEGIN { print b / r }')
  echo "$mode: $bytes bytes, written in $written s, waited for $waited s, predicted $predicted s"
  near "$written" "$predicted" 0.3 || fail "$mode: not within 30 % of what is predicted"
done
# Training waits for a copy in memory alone.
awk -v w="$waited" -v p="$predicted" 'BEGIN { exit !(w < p / 2) }' || fail 'asynchronous checkpoints are waited for'

# Samples in a tar, read in their order; the program drops them from the page cache itself.
mkdir "$scratch/samples"
for ((n = 0; n < 24; ++n)); do
  cp "$image" "$scratch/samples/$n.png"
  head -c 1000000 /dev/urandom >>"$scratch/samples/$n.png" # behind its end, which is read with it
  echo 0 >"$scratch/samples/$n.cls"
done
tar --sort=name -C "$scratch/samples" -cf "$scratch/disk/samples.tar" .
"$input" --data "$scratch/disk/samples.tar" --workers 1 --seconds 6 --out "$scratch/input.json" \
  >"$scratch/said" 2>&1 || fail "oracle-bench-input: exit $?"
line=$(grep '"read_sequential"' "$scratch/input.json")
if grep -q '"cached":true' <<<"$line"; then
  echo 'throttled.sh: reading is passed over: the samples stay in the page cache'
  exit 0
fi
rate=$(sed -E 's/.*"bytes":([0-9]+).*"median":([0-9.e+-]+).*/\1 \2/' <<<"$line" | awk '{ print $1 / $2 }')
echo "oracle-bench-input: reads $rate bytes a second, predicted $read_rate"
near "$rate" "$read_rate" 0.3 || fail 'reading is not within 30 % of what is predicted'
