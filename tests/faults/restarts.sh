#!/usr/bin/env bash
# restarts.sh <oracle-train> <models> <count>: <count> times a rank is killed (SIGKILL) at a random moment of
# training, and the run goes on from its newest checkpoint. Every loss and every byte of the last checkpoint are those of
# a run that was never killed, no process is left and no half of a file. RANDOM_SEED chooses the moments.
set -euo pipefail
train=$1 models=$2 count=$3
RANDOM=${RANDOM_SEED:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

steps=600 every=20
strategies=('data:2' 'data:2; zero=3' 'filter:2' 'pipeline:2; micro_batches=2' 'data:2; zero=1')
modes=(synchronous asynchronous)
last=$(printf 'step-%012d.safetensors' "$steps")

fail() {
  echo "restarts.sh: restart $i, $strategy, $mode: $1"
  cat "$scratch/err" "$scratch/out" 2>/dev/null
  exit 1
}

# begin <folder> <argument>...: starts two ranks in the background, whose mpirun is $pid.
begin() {
  local folder=$1
  shift
  mpirun --oversubscribe --bind-to none -np 2 "$train" "$models/uneven.json" --strategy "$strategy" --batch 8 \
    --optimizer adam --rate 0.003 --steps "$steps" --checkpoint "$folder" --checkpoint-every "$every" \
    --checkpoint-mode "$mode" "$@" >"$scratch/out" 2>"$scratch/err" &
  pid=$!
}

# losses <run.json>: one a line, from the first step that ran.
losses() { sed -n '/"losses": \[/,/\]/p' "$1" | grep -oE -- '-?[0-9][0-9.e+-]*|null'; }
# The step of the newest checkpoint, in $newest; 0 where there is none.
look() {
  local files=("$1"/step-*.safetensors)
  newest=${files[-1]##*/step-}
  newest=${newest%.safetensors}
  if [[ $newest == *[!0-9]* ]]; then newest=0; else newest=$((10#$newest)); fi
}

# What each strategy does when it is left alone.
for strategy in "${strategies[@]}"; do
  i=0 mode=synchronous
  whole="$scratch/whole/$strategy"
  mkdir -p "$whole"
  begin "$whole/kept" --out "$whole/run.json"
  wait "$pid" || fail 'the run that is left alone fails'
  losses "$whole/run.json" >"$whole/losses"
  (($(wc -l <"$whole/losses") == steps)) || fail 'not a loss for each step'
done

resumed=0 finished=0
for ((i = 1; i <= count; ++i)); do
  strategy=${strategies[i % ${#strategies[@]}]} mode=${modes[RANDOM % 2]}
  whole="$scratch/whole/$strategy" folder=$scratch/kept
  rm -rf "$folder"
  begin "$folder"
  # Some moments behind a checkpoint chosen at random. A rank that is killed before its program begins leaves Open
  # MPI's mpirun waiting for ever.
  chosen=$(((RANDOM % (steps / every - 4) + 1) * every))
  look "$folder"
  while ((newest < chosen)) && kill -0 "$pid" 2>/dev/null; do
    sleep 0.005
    look "$folder"
  done
  sleep "0.0$((RANDOM % 30 + 10))"
  mapfile -t ranks < <(pgrep -P "$pid" || true)
  if ((${#ranks[@]} > 0)); then kill -KILL "${ranks[RANDOM % ${#ranks[@]}]}" 2>/dev/null || true; fi
  wait "$pid" || true
  left=$(pgrep -f "$folder" || true)
  [[ -z $left ]] || fail "processes are left: $left"
  if [[ -e $folder/$last ]]; then
    finished=$((finished + 1))
    cmp -s "$folder/$last" "$whole/kept/$last" || fail 'the last checkpoint is another'
    continue
  fi
  resumed=$((resumed + 1))
  begin "$folder" --resume "$folder" --out "$scratch/run.json"
  wait "$pid" || fail 'the resumed run fails'
  losses "$scratch/run.json" >"$scratch/losses"
  cmp -s "$scratch/losses" <(tail -n "$(wc -l <"$scratch/losses")" "$whole/losses") || fail 'losses are others'
  cmp -s "$folder/$last" "$whole/kept/$last" || fail 'the last checkpoint is another'
  halves=$(find "$folder" -name '*.safetensors.*')
  [[ -z $halves ]] || fail "half of a file is left: $halves"
done
echo "$count of $count bit-equal: $resumed went on from a checkpoint, $finished had ended"
((resumed * 2 >= count)) || fail 'too few were killed between two checkpoints'
