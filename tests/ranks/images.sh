#!/usr/bin/env bash
# images.sh <oracle> <oracle-train> <tests>: images that a user brings, in each of their forms:
# trained on by two ranks as by one, and refused before training where they are damaged.
set -euo pipefail
oracle=$1 train=$2 tests=$3
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

# Four classes, each of two images of a color of its own; and the same samples as a tar.
cp -r "$tests/data/images/classes" images
mkdir samples
number=0
for image in images/*/*.png; do
  class=${image#images/class}
  cp "$image" "samples/$number.png"
  echo "${class%%/*}" >"samples/$number.cls"
  number=$((number + 1))
done
tar --sort=name -C samples -cf images.tar .

run=("$train" "$tests/validate/models/residual.json" --batch 4 --steps 4 --rate 0.02)
ranks 2 "${run[@]}" --strategy data:2 --data images --check --out folder.json >said || fail "a folder: exit $?"
expect 'input   images, images: 8 images' said
expect 'equals the serial run' said
ranks 2 "${run[@]}" --strategy height:2 --data images.tar --workers 3 --check >said || fail "a tar: exit $?"
expect 'input   WebDataset, images.tar: 8 images' said
expect 'equals the serial run' said

# The order follows from the seed alone: as a file and as a folder, however many read ahead.
losses() { sed -n '/"losses"/,/]/p' "$1"; }
ranks 2 "${run[@]}" --strategy data:2 --data images.tar --workers 0 --out tar.json >said
[[ -n $(losses folder.json) && $(losses folder.json) == "$(losses tar.json)" ]] || fail 'other losses'
ranks 2 "${run[@]}" --strategy data:2 --data images.tar --seed 2 --out other.json >said
[[ $(losses other.json) != "$(losses tar.json)" ]] || fail 'another seed changes nothing'

"$oracle" validate "$tests/validate/models/residual.json" --strategy data --gpus 2 --batch 4 --steps 3 --data images \
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
truncate -s -30 damaged/class2/1.png
refused 'damaged/class2/1.png: is a damaged PNG' --data damaged
head -c 2100 images.tar >short.tar
refused 'short.tar: ends within ' --data short.tar
{ head -c 700 images.tar && printf 'x' && tail -c +702 images.tar; } >changed.tar
refused 'changed.tar: is damaged: no header at byte 512' --data changed.tar
refused 'give --classes 4' --data images --classes 3
refused 'images are 3x16x16' --data images --input 3x32x32
