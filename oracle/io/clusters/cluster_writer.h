#pragma once
// How are clusters and devices written so that their readers give them back?
//
// A quantity is the shortest text that reads back as the same number: "12.5 GB/s", "16 GiB".
//                                             tests/io/clusters/cluster_writer_test.cpp

#include <string>

#include "oracle/cluster/cluster.h"

namespace oracle {

/// A JSON object, the device inside; lines after the first begin with `indent` blanks.
std::string write_cluster(const Cluster& cluster, int indent = 0);

/// A device file.
std::string write_device(const Device& device);

}  // namespace oracle
