#include "oracle/cluster/placement.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/cluster/group_pattern.h"

namespace oracle {
namespace {

/// Ranks of the mesh; refuses a mesh larger than the cluster before anything can overflow.
std::int64_t checked_ranks(const Cluster& cluster, std::span<const std::int64_t> degrees) {
  ensure(degrees.size() <= kMaxMeshAxes, "a mesh has too many axes");
  ensure(!cluster.levels.empty() && cluster.levels.size() <= kMaxLevels,
         "a cluster has no or too many levels");
  const std::int64_t most = cluster.ranks();
  std::int64_t ranks = 1;
  for (const std::int64_t degree : degrees) {
    ensure(degree >= 1, "a mesh axis has no ranks");
    if (degree > most / ranks) {
      throw InputError("strategy",
                       "needs more than the " + std::to_string(most) + " ranks of cluster " +
                           in_quotes(cluster.id),
                       "lower a degree or choose a larger cluster");
    }
    ranks *= degree;
  }
  return ranks;
}

/// The mesh as alternating runs, outermost first; axes of degree 1 vanish.
class Runs {
 public:
  Runs(std::span<const std::int64_t> degrees, AxisSet axes) {
    for (std::size_t a = 0; a < degrees.size(); ++a) {
      if (degrees[a] == 1) continue;
      const bool in_group = (axes >> a & 1U) != 0;
      if (count_ > 0 && runs_[count_ - 1].in_group == in_group) {
        runs_[count_ - 1].degree *= degrees[a];
      } else {
        runs_[count_++] = {degrees[a], in_group};
      }
    }
  }
  std::span<const AxisRun> all() const { return {runs_.data(), count_}; }

 private:
  std::array<AxisRun, kMaxMeshAxes> runs_{};
  std::size_t count_ = 0;
};

/// `units`: of the level, that hold members of the group.
GroupLevel group_level(const Link& uplink, std::int64_t members, std::int64_t units,
                       std::int64_t flows) {
  GroupLevel level;
  level.members = members;
  level.flows = static_cast<double>(std::max<std::int64_t>(flows, 1));
  level.flow = uplink.bandwidth / level.flows;
  level.alone = uplink.bandwidth;
  level.flow_limit = std::min(uplink.flow_limit, uplink.bandwidth);
  if (uplink.pair.value > 0) {
    const Bandwidth all = uplink.pair * static_cast<double>(std::max<std::int64_t>(units - 1, 1));
    level.flow = std::min(level.flow, all);
    level.alone = std::min(level.alone, all);
    level.flow_limit = std::min(level.flow_limit, uplink.pair);
  }
  level.latency = uplink.latency;
  level.fabric = uplink.fabric;
  return level;
}

/// One mesh axis: neighbours are `stride` ranks apart and its last position has no next one.
struct Neighbours {
  std::int64_t stride = 1;
  std::int64_t degree = 1;

  bool has_next(std::int64_t rank) const { return rank / stride % degree < degree - 1; }

  /// Ranks in [first, end) that have a next one. Requires end - first ≤ stride, so that the range
  /// touches at most two positions of the axis.
  std::int64_t senders(std::int64_t first, std::int64_t end) const {
    const std::int64_t boundary = std::clamp(end / stride * stride, first, end);
    std::int64_t count = 0;
    if (first < boundary && has_next(first)) count += boundary - first;
    if (boundary < end && has_next(boundary)) count += end - boundary;
    return count;
  }

  /// The most messages to next neighbours that leave one unit of `capacity` ranks.
  std::int64_t leaving(std::int64_t ranks, std::int64_t capacity) const {
    const std::int64_t width = std::min(stride, capacity);
    const std::int64_t period = stride * degree / std::gcd(stride * degree, capacity);
    const std::int64_t full_units = std::min(ranks / capacity, period);
    std::int64_t most = 0;
    for (std::int64_t unit = 1; unit <= full_units && most < width; ++unit) {
      most = std::max(most, senders(unit * capacity - width, unit * capacity));
    }
    return most;
  }
};

}  // namespace

Bandwidth Group::slowest_flow() const {
  ensure(levels > 0, "a single rank has no flow");
  Bandwidth slowest = level[0].flow;
  for (std::size_t l = 1; l < levels; ++l) slowest = std::min(slowest, level[l].flow);
  return slowest;
}

Group place(const Cluster& cluster, std::span<const std::int64_t> degrees, AxisSet axes) {
  const std::int64_t ranks = checked_ranks(cluster, degrees);
  const Runs runs(degrees, axes);
  Group group;
  for (const AxisRun& run : runs.all()) group.size *= run.in_group ? run.degree : 1;
  if (group.size == 1) return group;
  GroupPattern below = group_pattern(runs.all(), cluster.ranks_per_device);
  if (below.crossing == 0) below.crossing = std::min(ranks, cluster.ranks_per_device) / group.size;
  while (group.levels == 0 || group.level[group.levels - 1].members < group.size) {
    const std::size_t l = group.levels++;
    GroupPattern inside = group_pattern(runs.all(), cluster.capacity(l));
    inside.members = std::max(inside.members, below.members);
    const std::int64_t each = std::max<std::int64_t>(below.members, 1);
    const std::int64_t units = (inside.members + each - 1) / each;
    group.level[l] = group_level(cluster.levels[l].uplink, inside.members, units, below.crossing);
    if (l > 0 && below.members > 1) {
      group.level[l].latency = std::max(group.level[l].latency, group.level[l - 1].latency);
    }
    below = inside;
  }
  return group;
}

Group place_neighbours(const Cluster& cluster, std::span<const std::int64_t> degrees,
                       std::size_t axis) {
  const std::int64_t ranks = checked_ranks(cluster, degrees);
  ensure(axis < degrees.size(), "a mesh has no such axis");
  Group group;
  if (degrees[axis] == 1) return group;
  group.size = 2;
  Neighbours neighbours{1, degrees[axis]};
  for (const std::int64_t degree : degrees.subspan(axis + 1)) neighbours.stride *= degree;
  std::int64_t leaving = neighbours.leaving(ranks, cluster.ranks_per_device);
  if (leaving == 0) leaving = std::min(ranks, cluster.ranks_per_device);
  while (group.levels == 0 || leaving > 0) {
    const std::size_t l = group.levels++;
    const std::int64_t further = neighbours.leaving(ranks, cluster.capacity(l));
    GroupLevel& level = group.level[l];
    level = group_level(cluster.levels[l].uplink, further > 0 ? 1 : 2, 2, leaving);
    level.flow = std::min(level.flow, level.flow_limit);
    level.alone = level.flow_limit;
    leaving = further;
  }
  return group;
}

}  // namespace oracle
