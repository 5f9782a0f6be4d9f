#!/usr/bin/env bash
# results.sh <root>: predictions are judged as they should be, and the table of validate/bench/README.md is that
# of data/results.
set -euo pipefail
cd "$1"
errors=validate/bench/calibrated/signed_errors.py
# shellcheck source=tests/shell/expect.sh
source tests/shell/expect.sh

PYTHONPATH=validate/bench/calibrated /usr/bin/python3 -B -m unittest discover -s tests/validate/bench/calibrated -p '*_test.py'

/usr/bin/python3 -B "$errors" table data/results/*.json >"$scratch/due"
sed -n '/^<!-- results -->$/,/^<!-- \/results -->$/p' validate/bench/README.md | sed '1d;$d' >"$scratch/shown"
diff "$scratch/due" "$scratch/shown" || {
  echo "results.sh: validate/bench/README.md shows another table than that of data/results"
  exit 1
}

expect 1 'step, worst .*missed' /usr/bin/python3 -B "$errors" judge tests/data/results/small.json
expect 0 'filter:2' /usr/bin/python3 -B "$errors" list tests/data/results/small.json
expect 2 'signed_errors.py judge' /usr/bin/python3 -B "$errors" judge
expect 0 'alexnet.data2\+filter2.1gbit: to be run' validate/bench/calibrated.sh --list
expect 2 '"alexnot" is none' validate/bench/calibrated.sh --networks alexnot
expect 2 'unrecognized arguments' validate/bench/calibrated.sh --fast
expect 3 'oracle is not there; build it' env ORACLE_BIN="$scratch" validate/bench/calibrated.sh --networks alexnet
