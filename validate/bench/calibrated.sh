#!/usr/bin/env bash
# calibrated.sh [options]: calibrates this machine, predicts, trains and compares, and judges the signed errors
# (--help; validate/bench/README.md).
exec /usr/bin/python3 -B "$(dirname "$(readlink -f "$0")")/calibrated/run.py" "$@"
