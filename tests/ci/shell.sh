#!/usr/bin/env bash
# shell.sh: shellcheck finds nothing in any script.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

tree_files | grep -E '\.sh$|^\.ci/run$' | xargs shellcheck --external-sources --severity=warning
