#!/usr/bin/env bash
# torch_trace.sh <root> <binary>: the Python that oracle/record/README.md shows runs in the PyTorch that is
# installed, and `oracle compare` takes what it writes, or refuses it where that PyTorch knows no GPU.
# Skipped (77) without PyTorch.
# shellcheck source=tests/shell/sandbox.sh
source "$(dirname "$(readlink -f "$0")")/../shell/sandbox.sh"
python=/usr/bin/python3
"$python" -c 'import torch' 2>/dev/null || exit 77

enter_sandbox "$(readlink -f "$1")" "$(readlink -f "$2")"
{
  cat <<'PYTHON'
import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(64, 8).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def train_step():
    optimizer.zero_grad()
    model(torch.ones(4, 64, device=device)).sum().backward()
    optimizer.step()
PYTHON
  awk '/^```python$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$1/oracle/record/README.md"
} >step.py
OMP_NUM_THREADS=1 "$python" step.py 2>python_errors || {
  cat python_errors
  exit 1
}
[[ -s trace.json ]] || {
  echo "step.py wrote no trace.json"
  exit 1
}

status=0
said=$(oracle compare tests/data/traces/prediction.json trace.json 2>&1) || status=$?
# Another GPU or number of ranks than predicted is refused as well, after the trace was read.
case $said in
*"without Kineto"* | *"holds no kernel of a GPU"* | *"was recorded on "*) ((status == 2)) && exit 0 ;;
"step recorded "*) ((status == 0)) && exit 0 ;;
esac
echo "exit $status: $said"
exit 1
