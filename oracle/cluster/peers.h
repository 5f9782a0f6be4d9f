#pragma once
// How do devices of one node reach each other, where no one says?
//
// Over NVLink where their file says so ("nvlink"), else over PCI Express: into each other's memory,
// or through the host's where boards have no access to each other ("peer_access": GeForce since
// Turing without a bridge; switched off by NCCL_P2P_DISABLE=1 and on many rented machines).
//
//   PCI Express x16   to each other   through the host   next to
//   3.0               12 GB/s          4.7 GB/s          up to Volta and Turing
//   4.0               22 GB/s          3.1 GB/s          Ampere, Ada
//   5.0               40 GB/s         27 GB/s            Hopper, Blackwell
//
// What all-reduces of NCCL reached of large messages, in the median of the machines, and of the
// boards chosen on one, of data/published/collectives/pcie-boards-fit.json; 12 GB/s is NCCL's own
// constant. What goes through the host lay between a third and three times of it: the processor,
// its IOMMU and its memory decide.
//
// Worked: two RTX 4090 exchange at 3.1 GB/s, two L40 at 22 tests/io/clusters/cluster_line_test.cpp

#include <optional>
#include <string>

#include "oracle/cluster/cluster.h"

namespace oracle {

struct UsualPeers {
  Link link;
  std::string why;  ///< that it is taken
};

/// `access`: whether boards on PCI Express reach each other's memory; by default as the device has.
UsualPeers usual_peers(const Device& device, std::optional<bool> access = {});

}  // namespace oracle
