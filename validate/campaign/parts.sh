# What is measured, the most valuable first within each part as well. Sourced by campaign.sh, which sets $bin, $root,
# $device, $scale, $python and $mpirun; a function each, of calls of `point` (engine.sh).
# shellcheck shell=bash disable=SC2034,SC2154

parts='gpu_tests ceilings training pytorch ranks_per_gpu collectives sanitizer'
# Per cent of the time, as long as others want the rest.
declare -A share_of=([gpu_tests]=14 [ceilings]=14 [training]=28 [pytorch]=18 [ranks_per_gpu]=11 [collectives]=7 [sanitizer]=8)

# Networks in the order of what is learned from them; a volume's samples are large.
networks() {
  if [[ $scale == small ]]; then
    echo mobilenet_v2
    return
  fi
  local name first='resnet50 vgg16 cosmoflow mobilenet_v2 alexnet googlenet unet3d'
  printf '%s\n' $first
  for name in "$root"/models/*.json; do
    name=$(basename "$name" .json)
    [[ " $first " == *" $name "* ]] || echo "$name"
  done
}

# batch_of <network> <middle|large|small>
batch_of() {
  local kind=image
  case $1 in cosmoflow* | unet3d) kind=volume ;; esac
  case $scale-$kind-$2 in
    small-*-middle) echo 2 ;;
    small-*) echo 4 ;;
    *-image-middle) echo 64 ;;
    *-image-large) echo 256 ;;
    *-image-small) echo 8 ;;
    *-volume-middle) echo 4 ;;
    *-volume-large) echo 16 ;;
    *-volume-small) echo 1 ;;
  esac
}

# Options of a network's input that a smoke test takes instead of its own.
input_words() { [[ $scale != small ]] || echo --input 3x32x32; }

precisions() { if [[ $device == gpu ]]; then echo bf16 tf32 fp32 fp16; else echo fp32; fi; }

backend_of() { if [[ $1 == fp32 ]]; then echo "$device"; else echo "$device-$1"; fi; }

part_gpu_tests() {
  if [[ $device != gpu ]]; then
    left_out 'they need a GPU'
    return
  fi
  local name words=()
  [[ -z $build ]] || words=(--build "$build")
  if ! "$root/tests/gpu_tests.sh" "${words[@]}" --list >"$work/tests.txt" 2>"$work/said"; then
    left_out "$(<"$work/said")"
    return
  fi
  while IFS= read -r name; do
    point "$name" "$root/tests/gpu_tests.sh" "${words[@]}" --only "$name"
  done <"$work/tests.txt"
}

part_ceilings() {
  local precision cases='memory matrix' seconds=60 list
  if [[ $scale == small ]]; then cases=small seconds=1; fi
  for precision in $(precisions); do
    for list in $cases; do
      [[ $list != memory || $precision == fp32 ]] || continue
      point "$list $precision" "$bin/oracle-bench" --backend "$(backend_of "$precision")" \
        --cases "$list.txt" --seconds "$seconds" --out @OUT
    done
  done
  # A grid that profiles can be fitted on; the full one's values would fill the file.
  [[ $scale == small ]] || for precision in $(precisions); do
    point "grid $precision" "$bin/oracle-bench" --backend "$(backend_of "$precision")" --quick \
      --seconds 300 --out @OUT
  done
}

# Lines of a size, words and a network: what is compared most, then all. in_sizes <sizes> <words of a network, a line each>
in_sizes() {
  local size words network
  {
    [[ $scale == small || $device == cpu ]] || head -n 1 <<<"$2" | sed 's/^/large /; s/$/ resnet50/'
    for size in $1; do
      while IFS= read -r words; do
        for network in $(networks); do echo "$size $words $network"; done
      done <<<"$2"
    done
  } | awk '!seen[$0]++'
}

part_training() {
  local size precision network words sizes='middle large small' steps=(--steps 20 --warmup 5) replayed=(--steps 26 --warmup 5)
  [[ $scale != small ]] || sizes='middle large' steps=(--steps 2 --warmup 1) replayed=(--steps 4 --warmup 1)
  while read -r size precision network; do
    read -ra words <<<"$network $(input_words)"
    point "$network batch $(batch_of "$network" "$size") $precision" "$bin/oracle-train" "${words[@]}" \
      --device "$device" --precision "$precision" --batch "$(batch_of "$network" "$size")" "${steps[@]}" --out @OUT
    [[ $device == gpu && $size == middle && $precision != fp16 ]] || continue
    point "$network batch $(batch_of "$network" "$size") $precision graph" "$bin/oracle-train" "${words[@]}" \
      --device gpu --precision "$precision" --batch "$(batch_of "$network" "$size")" "${replayed[@]}" --graph --out @OUT
  done < <(in_sizes "$sizes" "$(precisions | tr ' ' '\n')")
}

# format, precision, benchmark
torch_ways() {
  if [[ $scale == small ]]; then
    echo 'channels_last fp32 off'
  elif [[ $device == cpu ]]; then
    printf '%s\n' 'channels_last fp32 off' 'default fp32 off'
  else
    printf '%s\n' 'channels_last bf16 on' 'channels_last tf32 on' 'channels_last fp32 on' 'default tf32 on' \
      'default fp32 off' 'channels_last fp16 on' 'channels_last bf16 off'
  fi
}

part_pytorch() {
  if [[ ! $python ]]; then
    left_out 'python3 has no torch and torchvision'
    return
  fi
  local size network words name format precision benchmark steps=(--steps 20 --warmup 5)
  [[ $scale != small ]] || steps=(--steps 2 --warmup 1)
  while read -r size format precision benchmark network; do
    name="$network batch $(batch_of "$network" "$size") $precision $format benchmark $benchmark"
    read -ra words <<<"$network $(input_words)"
    point "$name" "$python" "$here/bench/torch_train.py" "${words[@]}" --device "$device" \
      --batch "$(batch_of "$network" "$size")" --format "$format" --precision "$precision" \
      --benchmark "$benchmark" "${steps[@]}" --out @OUT
  done < <(in_sizes 'middle large' "$(torch_ways)")
}

ranks_words() { echo --oversubscribe --bind-to none -np "$1"; }

# CUDA MPS, with pipes and logs of its own; finish ends it.
start_mps() {
  [[ $device == gpu && ! $mps && ! $dry ]] || return 0
  command -v nvidia-cuda-mps-control >/dev/null || return 0
  mkdir -p "$work/pipes" "$work/logs"
  if CUDA_MPS_PIPE_DIRECTORY=$work/pipes CUDA_MPS_LOG_DIRECTORY=$work/logs nvidia-cuda-mps-control -d >/dev/null 2>&1; then
    mps=yes
  fi
}

# The words before mpirun by which ranks get a part of the GPU each.
part_of_gpu() {
  printf '%s ' env "CUDA_MPS_PIPE_DIRECTORY=$work/pipes" "CUDA_MPS_LOG_DIRECTORY=$work/logs" \
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=$((100 / $1))"
}

# ranks_points <list of runs> <mps or nothing>
ranks_points() {
  local ranks network strategy batch words options start steps=(--steps 12 --warmup 3)
  [[ $scale != small ]] || steps=(--steps 2 --warmup 1)
  while read -r ranks network strategy; do
    batch=$(batch_of "$network" middle)
    if ((batch < ranks)); then batch=$ranks; fi
    read -ra options <<<"$(ranks_words "$ranks")"
    read -ra words <<<"$network $(input_words) --device $device"
    [[ $device != gpu ]] || words+=(--ranks-per-gpu "$ranks")
    start=()
    [[ -z $2 ]] || read -ra start <<<"$(part_of_gpu "$ranks")"
    point "$network $strategy${2:+ $2}" "${start[@]}" "$mpirun" "${options[@]}" "$bin/oracle-train" "${words[@]}" \
      --strategy "$strategy" --batch "$batch" "${steps[@]}" --out @OUT
  done < <(tr '|' '\n' <<<"$1")
}

part_ranks_per_gpu() {
  local runs='2 resnet50 data:2|2 resnet50 filter:2|2 resnet50 height:2
2 resnet50 tensor:2|2 resnet50 channel:2|2 resnet50 pipeline:2;micro_batches=4|4 resnet50 data:4
4 resnet50 data:2,filter:2|4 resnet50 data:2,height:2|4 resnet50 height:2,width:2|4 resnet50 data:2,pipeline:2
2 vgg16 data:2|2 vgg16 filter:2|2 cosmoflow data:2|2 cosmoflow depth:2|4 cosmoflow depth:2,height:2'
  [[ $scale != small ]] || runs='2 mobilenet_v2 data:2'
  ranks_points "$runs" ''
  start_mps
  [[ -z $mps ]] || ranks_points "$runs" mps
}

part_collectives() {
  local ranks counts='2 4' limits=(--seconds 120 --largest '1 GB') options
  if [[ $scale == small ]]; then counts=2 limits=(--quick --seconds 1 --largest '4 kB'); fi
  for ranks in $counts; do
    read -ra options <<<"$(ranks_words "$ranks")"
    point "$ranks ranks" "$mpirun" "${options[@]}" "$bin/oracle-bench-links" --device "$device" "${limits[@]}" --out @OUT
  done
}

sanitizer_program() { command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null; }

part_sanitizer() {
  local tool kernels program words=()
  if [[ $device != gpu ]]; then
    left_out 'it looks at kernels of a GPU'
    return
  fi
  if ! program=$(sanitizer_program); then
    left_out 'compute-sanitizer is not installed'
    return
  fi
  [[ -z $build ]] || words=(--build "$build")
  for tool in memcheck racecheck; do
    for kernels in kernels_gpu kernels_gpu-bf16; do
      point "$tool $kernels" "$root/tests/gpu_tests.sh" "${words[@]}" --only "$kernels" \
        --under "$program --tool $tool --error-exitcode 1"
    done
  done
}
