#pragma once
// What is connected to what, how fast, and what is shared?
//
// A cluster is a tree. Level 0 joins devices (a node, or a PCIe switch inside one), level 1 joins
// units of level 0, and so on; ranks fill it in order. Each unit has an uplink into the level that
// joins it; a message between two devices crosses the uplinks of both ends on every level up to the
// lowest one that holds both. Uplinks are full duplex and shared by whatever crosses them.
//
//   ABCI: level 0 "node"  4 devices, uplink = NVLink of each device, 50 GB/s
//         level 1 "leaf"  17 nodes,  uplink = 2 × EDR of each node, 25 GB/s, one flow at most 12.5
//         level 2 "rack"  2 leaves,  uplink = 36 × EDR of each leaf, 450 GB/s: no bottleneck
//         level 3 "system" 32 racks, uplink = 24 × EDR of each rack, 300 GB/s: a third of its
//         nodes'
//
// Worked: ABCI's capacities are 4, 68, 136 and 4352 ranks tests/cluster/cluster_test.cpp

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/cluster/device.h"
#include "oracle/cluster/fabric.h"
#include "oracle/cluster/host.h"
#include "oracle/cluster/pace.h"

namespace oracle {

inline constexpr std::int64_t kMaxRanks = 1'000'000'000;

/// The uplink of one unit into its level.
struct Link {
  std::string name;      ///< "NVLink 2", "2x InfiniBand EDR"
  Bandwidth bandwidth;   ///< per direction, all rails together
  Bandwidth flow_limit;  ///< the most one flow can take (one rail); equals bandwidth if one rail
  Seconds latency;       ///< of a message whose highest level is this one, end to end (α)
  Fabric fabric = Fabric::unknown;
  /// What two units exchange that are joined directly, with no switch: a group of n units has
  /// n - 1 such links for each. 0: there is a switch.
  Bandwidth pair{};
};

struct Level {
  std::string name;        ///< "node", "leaf", "rack", "system"
  std::int64_t units = 1;  ///< how many units of the level below (devices at level 0) it joins
  Link uplink;             ///< of each of those units
};

struct Cluster {
  std::string id;  ///< file name: "abci"
  std::string name;
  std::string description;
  Device device;
  std::vector<Level> levels;  ///< inside out
  /// Ranks that share one device (1: each has its own). Compute, memory bandwidth and memory are
  /// split.
  std::int64_t ranks_per_device = 1;
  Host host;                             ///< that some devices have in common
  Pace pace;                             ///< of its kernels
  std::vector<FigureSource> sources;     ///< one for each figure
  std::vector<std::string> assumptions;  ///< what the description guesses, a line each

  /// Of one rank.
  Bytes rank_memory() const { return device.memory / static_cast<double>(ranks_per_device); }
  /// Ranks on one host, of `ranks` in all.
  std::int64_t ranks_on_host(std::int64_t ranks) const {
    return std::min(ranks, host.devices * ranks_per_device);
  }
  /// Ranks the cluster can hold: ranks_per_device · Π units. Readers keep it within kMaxRanks.
  std::int64_t ranks() const;
  /// Ranks below one unit that level `level` forms: capacity(0) is the ranks of one node,
  /// capacity(levels.size() - 1) the whole cluster.
  std::int64_t capacity(std::size_t level) const;
};

}  // namespace oracle
