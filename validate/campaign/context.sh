# Where, with what and when does a campaign measure? Sourced by campaign.sh, which sets $bin, $root, $out, $work, $device
# and $python.
# shellcheck shell=bash disable=SC2154

# Of nvidia-smi's first GPU; empty where it does not know.
gpu_says() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

torch_says() {
  [[ $python ]] || return 0
  "$python" -c 'import torch, torchvision
print(torch.__version__, "torchvision", torchvision.__version__, "CUDA", torch.version.cuda,
      "cuDNN", torch.backends.cudnn.version())' 2>/dev/null
}

# What says that two runs are of one machine and one program.
same_machine() {
  local name=$1
  if [[ $device == gpu ]]; then name=$(gpu_says name); fi
  printf '"hardware": %s, "driver": %s, "version": %s' "$(json_text "${name:-unknown}")" \
    "$(json_text "$(gpu_says driver_version)")" "$(json_text "$("$bin/oracle" --version | tr '\n' ';')")"
}

write_context() {
  local processor
  processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  printf '{%s, "processor": %s, "processors": %d, "kernel": %s, "gpus": %d, "clocks": %s, "torch": %s, "date": "%s", "command": %s}\n' \
    "$(same_machine "$processor")" "$(json_text "$processor")" "$(grep -c '^processor' /proc/cpuinfo)" \
    "$(json_text "$(uname -sr)")" "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')" \
    "$(json_text "$(gpu_says clocks.sm,clocks.max.sm,clocks.mem,power.limit,memory.total)")" \
    "$(json_text "$(torch_says)")" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
    "$(json_text "validate/campaign.sh --device $device --scale $scale --minutes $minutes")" >"$work/context.json"
}

# A file of results is of one machine and one commit.
refuse_another_machine() {
  local file now
  now=$(sed -n 's/^{\("hardware".*"version": "[^"]*"\), "processor".*/\1/p' "$work/context.json")
  for file in "$out"/*.json; do
    if [[ -e $file ]] && ! grep -qF "$now" "$file"; then
      refuse "$file is of another machine, driver or version of oracle; name another folder by --out" 2
    fi
  done
}
