#!/usr/bin/env bash
# threads.sh: what runs threads, the search and the communicators, passes under the thread sanitizer.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

build_preset threads
export ORACLE_DATA=$PWD
build-threads/tests/bin/tests_search --gtest_brief=1
build-threads/tests/bin/tests_microbench --gtest_brief=1 \
  --gtest_filter='Communicator*:Blame*:Beacon*:CollectiveRun*:Journal*:Patience*:Schedule*'
