#pragma once
// How is a cluster written so that read_cluster() gives it back, its device inside?
//
// Quantities keep all their digits: "12500000000 B/s".
//                                             tests/io/clusters/cluster_writer_test.cpp

#include <string>

#include "oracle/cluster/cluster.h"

namespace oracle {

/// A JSON object; lines after the first begin with `indent` blanks.
std::string write_cluster(const Cluster& cluster, int indent = 0);

}  // namespace oracle
