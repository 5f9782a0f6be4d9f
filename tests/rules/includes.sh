#!/usr/bin/env bash
# includes.sh <root>: each folder includes only the folders it stands on, by path from the root, and
# third-party libraries stay in .cpp files.
# shellcheck source=tests/rules/tree.sh
source "$(dirname "$0")/tree.sh"

# folder: the folders it may include besides itself
kStandsOn='
oracle/base:
oracle/graph: oracle/base
oracle/cluster: oracle/base
oracle/plan: oracle/base oracle/graph oracle/cluster
oracle/cost: oracle/base oracle/graph oracle/cluster oracle/plan
oracle/memory: oracle/base oracle/graph oracle/cluster oracle/plan
oracle/timeline: oracle/base oracle/graph oracle/cluster oracle/plan oracle/cost
oracle/evaluate: oracle/base oracle/graph oracle/cluster oracle/plan oracle/cost oracle/memory oracle/timeline
oracle/budget: oracle/base
oracle/search: oracle/base oracle/graph oracle/cluster oracle/plan oracle/cost oracle/memory oracle/timeline oracle/evaluate oracle/budget
oracle/accuracy: oracle/base oracle/graph oracle/cluster oracle/plan oracle/cost oracle/memory oracle/timeline oracle/evaluate
oracle/record: oracle/base
oracle/io: oracle/base oracle/graph oracle/cluster oracle/budget oracle/record
oracle/calibrate: oracle/base oracle/graph oracle/cluster oracle/plan oracle/cost oracle/io oracle/record
oracle/report: oracle/base oracle/graph oracle/cluster oracle/plan oracle/cost oracle/memory oracle/timeline oracle/evaluate oracle/budget oracle/search oracle/accuracy oracle/record
oracle/cli: oracle/*
microbench: oracle/base oracle/graph
microbench/compression: oracle/base oracle/graph oracle/cluster oracle/plan microbench
microbench/compute: oracle/base oracle/graph oracle/cluster oracle/plan oracle/cli microbench
microbench/links: oracle/base oracle/graph oracle/cli microbench
validate: oracle/* microbench/elements microbench/kernels microbench/compression microbench/comm microbench/timing microbench/storage
'

code_files | { grep -v '^tests/' || true; } | xargs -r awk -v table="$kStandsOn" '
  function folder_of(path,  parts, folder) {
    split(path, parts, "/")
    folder = parts[1] "/" parts[2]
    return parts[1] == "oracle" || folder in known ? folder : parts[1]
  }
  function allowed(from, path,  list, n, i) {
    if (index(path, from "/") == 1) return 1
    if (path == "oracle/build_info.h") return from == "oracle/cli" || from == "validate" || from ~ /^microbench/
    n = split(stands_on[from], list, " ")
    for (i = 1; i <= n; i++) {
      sub(/\*$/, "", list[i])
      if (index(path, list[i]) == 1) return 1
    }
    return 0
  }
  BEGIN {
    n = split(table, rows, "\n")
    for (i = 1; i <= n; i++) {
      colon = index(rows[i], ":")
      if (!colon) continue
      name = substr(rows[i], 1, colon - 1)
      known[name] = 1
      stands_on[name] = substr(rows[i], colon + 1)
    }
  }
  FNR == 1 && !(folder_of(FILENAME) in known) {
    print FILENAME ": its folder is in no row of the table of tests/rules/includes.sh"
  }
  /^[ \t]*#[ \t]*include[ \t]*"/ && folder_of(FILENAME) in known {
    split($0, quoted, "\"")
    path = quoted[2]
    if (path !~ /^(oracle|microbench|validate)\//)
      print FILENAME ":" FNR ": \"" path "\" is no path from the root of the tree"
    else if (!allowed(folder_of(FILENAME), path))
      print FILENAME ":" FNR ": " folder_of(FILENAME) " may not include " path
  }
  /^[ \t]*#[ \t]*include[ \t]*[<"](Eigen|nlohmann|boost|google\/protobuf|onnx)\// &&
      FILENAME ~ /^oracle\/.*\.h$/ {
    print FILENAME ":" FNR ": third-party library in a header: " $0
  }' | verdict
