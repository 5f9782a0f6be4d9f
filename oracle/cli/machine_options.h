#pragma once
// What if the machine were another? Figures that the command line gives in place of its own.
//
// Worked: --set device.memory=40GiB,node.bandwidth=300GB/s     tests/cli/machine_options_test.cpp

#include <array>

#include "oracle/cli/arguments.h"
#include "oracle/cli/problem_list.h"
#include "oracle/cluster/cluster.h"

namespace oracle::cli {

extern const std::array<Option, 3> kMachineOptions;

/// Puts --set, --memory-limit and --price into the cluster, each with a line of its assumptions.
void change_machine(const Arguments& arguments, Cluster& cluster, ProblemList& problems);

}  // namespace oracle::cli
