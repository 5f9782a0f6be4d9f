#pragma once
// Which cluster does one line describe?
//
//   [NODESx][DEVICESx]DEVICE[,net=BANDWIDTH][,fabric=KIND][,link=BANDWIDTH][,peer=on|off]
//
// `net` is that of a node into the network, of the kind `fabric`; `link` that of a device inside
// its node, one way; `peer` whether boards on PCI Express reach each other's memory. What is left
// out is assumed: the link of a shipped cluster with this device, or with the same of another
// memory, else what is usual (cluster/peers.h).
//
// Worked: "16x8xa100-sxm4-80gb,net=200Gb/s" has 128 ranks, 25 GB/s a node, and links as in dgx-a100
//                                                         tests/io/clusters/cluster_line_test.cpp

#include <string_view>

#include "oracle/cluster/cluster.h"

namespace oracle {

/// Whether a cluster's name is such a line: it begins with a count and an "x", and is not a file.
bool is_cluster_line(std::string_view name);

/// Throws InputError.
Cluster parse_cluster_line(std::string_view line);

}  // namespace oracle
