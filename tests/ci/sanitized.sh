#!/usr/bin/env bash
# sanitized.sh [preset]: clang++ builds everything without a warning, and the fast tests' programs pass under
# its address and undefined-behaviour sanitizers. CUDA is hidden, so that what needs none is seen to pass
# without. The preset "undefined" checks more than "sanitized", and takes twice as long.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

preset=${1-sanitized}
build_preset "$preset"
# Scripts look at the sources and at answers, which the other build has shown.
test_preset "$preset" --exclude-regex '^(rules|golden|readme)/'
