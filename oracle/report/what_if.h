#pragma once
// What would a better machine gain, and what another setting?       tests/report/what_if_test.cpp

#include "oracle/cluster/cluster.h"
#include "oracle/evaluate/sensitivity.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// By how much the step shortens per 1 % more of each figure; those that matter not are left out of
/// the table.
Table elasticity_table(const Sensitivity& sensitivity, const Cluster& cluster);

/// The step with one setting changed; a table leaves out those that change nothing.
Table change_table(const Sensitivity& sensitivity);

}  // namespace oracle::report
