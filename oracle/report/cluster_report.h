#pragma once
// What is a machine made of, and who says so?                 tests/report/cluster_report_test.cpp

#include "oracle/cluster/cluster.h"
#include "oracle/report/document.h"

namespace oracle::report {

Document cluster_report(const Cluster& cluster);
Document device_report(const Device& device);

}  // namespace oracle::report
