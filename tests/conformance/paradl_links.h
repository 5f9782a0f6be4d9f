#pragma once
// Which links did ParaDL price with?
//
// Its constants for ABCI: within a node NVLink, 9 us and 50 GB/s; beyond it InfiniBand, 12.5 GB/s
// and
//
//   α = 2·(cable + 110 ns) + switches    90 ns (to 68 GPUs), 270 ns (to 136), 760 ns (more)
//
// with a cable of 20 us between GPU and PCIe switch, and never less than NVLink's 9 us. Its halo
// exchange and spatial all-gather go through host memory: 3 ms + 110 ns and PCIe's 16 GB/s. A
// contention factor φ divides what leaves a node in hybrids: 2·(GPUs per node), 8. The logs come
// from several states of the script: the table in paradl_links.cpp says what each was made with.
// These are inputs of the tests.
//
// Worked: 8 GPUs: 40.31 us                            tests/conformance/data_parallel_test.cpp

#include "oracle/cluster/placement.h"
#include "tests/conformance/paradl.h"

namespace oracle::paradl {

/// What differs between the states of the script.
struct Script {
  double cable = 20e-6;        ///< seconds from a GPU to its PCIe switch
  double contention = 1;       ///< φ between nodes in hybrids
  bool own_weights = false;    ///< data+filter exchanges the weights that a rank holds, not all
  bool whole_gathers = false;  ///< each step of the spatial all-gather moves the whole tensor
};

Script script_of(const Case& printed);

/// A ring of `members` ranks that spans `gpus` GPUs of ABCI, over links shared by `contention`
/// flows.
Group ring_of(std::int64_t members, std::int64_t gpus, const Script& script, double contention = 1);

/// A ring of the GPUs of one node through host memory, whose PCIe links carry `contention` flows.
Group host_ring_of(std::int64_t members, double contention);

}  // namespace oracle::paradl
