#pragma once
// Which links does a group of ranks cross, and how many other groups cross them at the same time?
//
// Ranks fill the cluster in order. A mesh numbers them in mixed radix, the last axis fastest, so a
// group along some of its axes is {offset + Σ i_a·stride_a}. Every group of a mesh communicates at
// the same time (all ranks run the same program), so the uplink of a unit into level l is shared by
// the groups with members both inside and outside of the unit. Where units hold whole numbers of
// groups' parts:
//
//   flows(l) = ranks below the uplink / members of one group below it
//
// and each gets bandwidth/flows. A collective may spread over all rails, a single message may not:
// it gets min(flow_limit, bandwidth/flows). Units that are joined in pairs give a group of n of
// them at most n - 1 times what a pair has. Where groups lie differently in the nodes (6 GPUs per
// node, groups of 4), every different position is looked at and the worst counts.
//
// Worked: ABCI, mesh data:16,filter:4: a data group has one member per node, so four groups share a
// node's 25 GB/s: 6.25 GB/s each; a filter group stays on NVLink. tests/cluster/placement_test.cpp

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracle/cluster/cluster.h"

namespace oracle {

inline constexpr std::size_t kMaxMeshAxes = 8;
inline constexpr std::size_t kMaxLevels = 6;

/// A set of mesh axes, one bit each (bit 0: the outermost).
using AxisSet = std::uint32_t;

/// One level as a group sees it.
struct GroupLevel {
  /// Of the group inside one unit of this level (a node: level 0): the most any unit holds, of the
  /// group for which that is least.
  std::int64_t members = 1;
  double flows = 1;      ///< groups that share the uplink of one unit into this level, at most
  Bandwidth flow;        ///< one group's share of that uplink while all groups communicate
  Bandwidth alone;       ///< the same while no other group communicates
  Bandwidth flow_limit;  ///< the most a single message can take of either
  /// α of a message whose highest level is this one. A group with members on both sides waits for
  /// the slowest of them, so it is no less than that of the levels below that join any.
  Seconds latency;
  Fabric fabric = Fabric::unknown;
};

/// A group of ranks, as every collective is priced on it.
struct Group {
  std::int64_t size = 1;
  std::size_t levels = 0;  ///< levels the group spans; 0 for one rank
  std::array<GroupLevel, kMaxLevels> level{};
  /// Members that have a part each, evenly among the others: of a push or pull alone, else 0.
  std::int64_t servers = 0;

  /// The level that joins all members. Requires size > 1.
  const GroupLevel& top() const { return level[levels - 1]; }
  /// A group's share where it is least, over the levels it spans: the ring's slowest hop.
  /// Requires size > 1.
  Bandwidth slowest_flow() const;
};

/// Places the groups along `axes` of the mesh with these degrees (outermost first) on the cluster.
/// Throws InputError when the mesh has more ranks than the cluster.
Group place(const Cluster& cluster, std::span<const std::int64_t> degrees, AxisSet axes);

/// Neighbours one step apart along one mesh axis (halo, pipeline), not around its ends: a group of
/// size 2 that spans what the worst pair spans. All pairs send one way at the same time; `flows`
/// counts the messages that leave a unit, and `flow` and `alone` are within `flow_limit`.
Group place_neighbours(const Cluster& cluster, std::span<const std::int64_t> degrees,
                       std::size_t axis);

}  // namespace oracle
