#!/usr/bin/env bash
# A program of a campaign that measures nothing: writes down that it was called ($STUB_LOG), then does what $STUB says:
# answers at once; "fail NAME": fails where its words have NAME; "hang NAME": there waits until it is ended; "gpu": has a
# GPU.
program=$(basename "$0")
if [[ $program == mpirun ]]; then exec "${@:6}"; fi
if [[ $program == nvidia-cuda-mps-control ]]; then
  [[ $* == -d ]] || read -r said
  echo "$program ${*:-$said}" >>"$STUB_LOG"
  exit
fi
if [[ $program == oracle ]]; then
  echo "${STUB_VERSION:-oracle 1}"
  exit
fi
read -r how where <<<"${STUB-}"
if [[ $* == *"backend gpu"* && $how != gpu ]]; then
  echo 'there is no GPU driver on this machine' >&2
  exit 3
fi
echo "$program $*" >>"$STUB_LOG"
if [[ $how == fail && $* == *"$where"* ]]; then
  printf 'a "quoted" line\nand a\tsecond one\n' >&2
  exit 3
fi
if [[ $how == hang && $* == *"$where"* ]]; then
  echo $$ >"$STUB_LOG.started"
  read -r _ <"$STUB_LOG.never"
fi
for last; do :; done
if [[ $last != *.json ]]; then exit; fi
if [[ $program == oracle-train ]]; then
  cat >"$last" <<'JSON'
{
  "schema": "oracle/run/1",
  "context": {"processor": "a processor", "kernels": "stub", "communicator": "stub"},
  "model": "mobilenet_v2", "strategy": "serial", "ranks": 1, "batch": 1, "precision": "fp32",
  "losses": [2, 1],
  "warm_up": 1,
  "step_seconds": [9, 0.5],
  "sent_bytes": 0.0,
  "peak_memory_bytes": 10,
  "footprint_bytes": 11,
  "items": [
    {
      "item": "forward conv1",
      "phase": "forward", "pass": "forward", "layer": "conv1", "seconds": 0.25,
      "sent_bytes": 0.0,
      "plan_bytes": 0.0
    }
  ]
}
JSON
else
  echo '{"schema": "oracle/samples/1", "context": {"kernels": "stub"}, "compute": [{"layer": "a", "pass": "forward", "median": 1, "values": [1]}]}' >"$last"
fi
