#!/usr/bin/env bash
# losses.sh <root> <programs>: the scripts behind the tables of losses in validate/README.md train what they say,
# and say what went wrong.
set -euo pipefail
cd "$1"
programs=$2
# shellcheck source=tests/shell/expect.sh
source tests/shell/expect.sh

PYTHONPATH=validate/bench /usr/bin/python3 -B -m unittest discover -s tests/validate/bench -p '*_test.py'

batches=(/usr/bin/python3 -B validate/bench/batch_scaling.py --bin "$programs" --seeds 1)
expect 0 '^32 +32 +0.02 +8 +[0-9.]+ ' "${batches[@]}" --samples 1024 --batch 8 --times 1,4
(($(wc -l <"$scratch/said") == 9)) || { cat "$scratch/said"; exit 1; }
expect 0 '^\| 16 \| 64 \| 1e\+08 \| – \| 1 diverged \| – \|' "${batches[@]}" --samples 1024 --batch 16 --times 1 \
  --rates 1e8 --markdown
expect 2 'is not a list of numbers; write 1,4,16' "${batches[@]}" --times 1x4
expect 2 'are not two steps of 512; give more' "${batches[@]}" --samples 1023
critical=(/usr/bin/python3 -B validate/bench/critical_batch.py --bin "$programs" --seeds 1 --samples 2048 --rates 0.04)
expect 0 '^noise scale: [0-9.]+ samples' "${critical[@]}" --batches 16,32,64 --target 1
expect 3 'batch 16: no rate leads to a loss of 0.0; give more' "${critical[@]}" --batches 16,32,64 --target 0
exchanges=(/usr/bin/python3 -B validate/bench/exchange_losses.py --seeds 1 --ranks 2 --steps 12)
expect 0 '^`int8` ' "${exchanges[@]}" --bin "$programs" --exchanges int8
expect 3 'exchange_losses: exchange=auto, seed 1: exit code' "${exchanges[@]}" --bin "$scratch"
