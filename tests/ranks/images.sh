#!/usr/bin/env bash
# images.sh <oracle> <oracle-train> <oracle-pack> <models>: images that a user brings, in each of their forms:
# trained on by two ranks as by one, and refused before training where they are damaged.
set -euo pipefail
oracle=$1 train=$2 pack=$3 models=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
  echo "images.sh: $1"
  cat said err 2>/dev/null
  exit 1
}

expect() { grep -qF -- "$1" "$2" || fail "does not say: $1"; }
ranks() { mpirun --oversubscribe --bind-to none -np "$@" 2>err; }

# Four classes, each an image of its own color and one a little brighter.
for class in 0 1 2 3; do
  mkdir -p "images/class$class"
  for shade in 0 1; do
    color=$(printf '\\%03o' $((class * 60 + 10)) $((240 - class * 60)) $((shade * 9 + 100)))
    { printf 'P6 16 16 255\n' && for ((i = 0; i < 256; i++)); do printf '%b' "$color"; done; } \
      >"images/class$class/$shade.ppm"
  done
done
"$pack" images --out images.rec >said || fail "packing: exit $?"
expect 'images.rec: 8 images of 3x16x16 in 4 classes' said

run=("$train" "$models/residual.json" --batch 4 --steps 4 --rate 0.02)
ranks 2 "${run[@]}" --strategy data:2 --data images --check --out folder.json >said || fail "a folder: exit $?"
expect 'input   images, images: 8 images' said
expect 'equals the serial run' said
ranks 2 "${run[@]}" --strategy height:2 --data images.rec --workers 3 --check >said || fail "records: exit $?"
expect 'input   records, images.rec: 8 images' said
expect 'equals the serial run' said

# The order follows from the seed alone: as a file and as a folder, however many read ahead.
losses() { sed -n '/"losses"/,/]/p' "$1"; }
ranks 2 "${run[@]}" --strategy data:2 --data images.rec --workers 0 --out records.json >said
[[ -n $(losses folder.json) && $(losses folder.json) == "$(losses records.json)" ]] || fail 'other losses'
ranks 2 "${run[@]}" --strategy data:2 --data images.rec --seed 2 --out other.json >said
[[ $(losses other.json) != "$(losses records.json)" ]] || fail 'another seed changes nothing'

"$oracle" validate "$models/residual.json" --strategy data --gpus 2 --batch 4 --steps 3 --data images \
  --out kept.json >said 2>err || fail "validate: exit $?"
expect 'images, images: ' said
expect '"images_per_second"' kept.json

# refused <message> <words>...: exit 2, once, before any step.
refused() {
  local status=0
  ranks 2 "${run[@]}" --strategy data:2 "${@:2}" >said || status=$?
  ((status == 2)) || fail "exit $status instead of 2"
  (($(grep -cF -- "$1" err) == 1)) || fail "not one line says: $1"
  if grep -q 'is gone' err; then fail 'a rank is missed'; fi
}

refused 'nowhere: is not there' --data nowhere
cp -r images damaged
truncate -s -1 damaged/class2/1.ppm
refused 'damaged/class2/1.ppm: has 767 bytes of values where 3x16x16 takes 768' --data damaged
head -c -3 images.rec >short.rec
refused 'short.rec: has ' --data short.rec
{ head -c 700 images.rec && printf 'x' && tail -c +702 images.rec; } >changed.rec
refused 'changed.rec: image 0: is damaged: its checksum differs' --data changed.rec
refused 'give --classes 4' --data images --classes 3
mkdir cifar && head -c 3073 /dev/zero >cifar/data_batch_1.bin
refused 'images are 3x32x32' --data cifar
ranks 2 "${run[@]}" --strategy data:2 --data cifar --input 3x32x32 --classes 10 >said || fail "CIFAR-10: exit $?"
expect 'CIFAR-10, cifar: 1 images' said
