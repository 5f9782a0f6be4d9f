#include "oracle/plan/strategy/resolve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "oracle/base/error.h"

namespace oracle {
namespace {

using Grid = std::array<std::int64_t, 3>;

/// Halo of a grid relative to the piece's volume; infinite where an axis is too short.
double halo_share(const Grid& grid, const Shape& shape) {
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid[a] == 1) continue;
    const std::int64_t extent = shape[kSpatialAxes[a]];
    if (extent < grid[a]) return std::numeric_limits<double>::infinity();
    sum += static_cast<double>(grid[a]) / static_cast<double>(extent);
  }
  return sum;
}

std::int64_t largest(const Grid& grid) { return *std::max_element(grid.begin(), grid.end()); }

/// Where no grid fits, all of the degree falls to the last axis, whose refusal then names the
/// extent.
Grid best_grid(std::int64_t degree, const Shape& shape) {
  Grid best = {1, 1, degree};
  double least = halo_share(best, shape);
  for (std::int64_t d = 1; d <= std::min(degree, shape[Axis::depth]); ++d) {
    if (degree % d != 0) continue;
    for (std::int64_t h = 1; h <= std::min(degree / d, shape[Axis::height]); ++h) {
      if ((degree / d) % h != 0) continue;
      const Grid grid = {d, h, degree / d / h};
      const double share = halo_share(grid, shape);
      if (std::isinf(share)) continue;
      if (share < least || (share == least && largest(grid) < largest(best))) {
        best = grid;
        least = share;
      }
    }
  }
  return best;
}

constexpr std::array<Cut, 3> kGridCuts = {Cut::depth, Cut::height, Cut::width};

/// The refined axes of one axis of the strategy; rules keep their cuts on each.
void append_axis(const Strategy& from, std::size_t axis, const Shape& shape, Strategy& to) {
  const MeshAxis& coarse = from.mesh[axis];
  if (coarse.degree < 1) {
    throw InputError("--strategy", "an axis has no degree", "write it as in \"data:16,filter:4\"");
  }
  const bool in_rules =
      std::any_of(from.rules.begin(), from.rules.end(),
                  [&](const LayerRule& rule) { return rule.cuts[axis] == Cut::spatial; });
  const bool spatial = coarse.cut == Cut::spatial || in_rules;
  const Grid grid = spatial ? best_grid(coarse.degree, shape) : Grid{coarse.degree, 1, 1};
  for (std::size_t g = 0; g < 3; ++g) {
    if (grid[g] == 1) continue;
    const auto named = [&](Cut cut) { return cut == Cut::spatial ? kGridCuts[g] : cut; };
    to.mesh.push_back({grid[g], named(coarse.cut)});
    for (std::size_t r = 0; r < from.rules.size(); ++r) {
      to.rules[r].cuts.push_back(named(from.rules[r].cuts[axis]));
    }
  }
}

/// Visits the axes of data, innermost first, with the shards that are left for them; until `visit`
/// returns false.
template <typename Visit>
void for_each_axis_of_data(const Strategy& strategy, Visit visit) {
  std::int64_t left = strategy.shard;
  for (std::size_t a = strategy.mesh.size(); strategy.shard > 0 && a-- > 0;) {
    if (!strategy.has_along(a, Cut::sample)) continue;
    if (!visit(a, left)) return;
    left = std::max<std::int64_t>(1, left / strategy.mesh[a].degree);
  }
}

/// Parts the axis that shards end in.
void part_shards_from_copies(Strategy& strategy) {
  std::size_t parted = strategy.mesh.size();
  std::int64_t inside = 1;
  for_each_axis_of_data(strategy, [&](std::size_t a, std::int64_t left) {
    const std::int64_t degree = strategy.mesh[a].degree;
    if (left > 1 && left < degree && degree % left == 0) {
      parted = a;
      inside = left;
    }
    return left > degree && left % degree == 0;
  });
  if (parted == strategy.mesh.size()) return;
  const auto next = static_cast<std::ptrdiff_t>(parted) + 1;
  strategy.mesh[parted].degree /= inside;
  strategy.mesh.insert(strategy.mesh.begin() + next, {inside, strategy.mesh[parted].cut});
  for (LayerRule& rule : strategy.rules) {
    rule.cuts.insert(rule.cuts.begin() + next, rule.cuts[parted]);
  }
}

}  // namespace

AxisSet replica_axes(const Strategy& strategy) {
  AxisSet axes = 0;
  for_each_axis_of_data(strategy, [&](std::size_t a, std::int64_t left) {
    if (left == 1) axes |= AxisSet{1} << a;
    return true;
  });
  return axes;
}

std::optional<std::size_t> indivisible_axis(const Strategy& strategy) {
  std::optional<std::size_t> found;
  for_each_axis_of_data(strategy, [&](std::size_t a, std::int64_t left) {
    const std::int64_t degree = strategy.mesh[a].degree;
    if (degree % left != 0 && left % degree != 0) found = a;
    return !found;
  });
  return found;
}

Strategy resolve(const Strategy& strategy, const Graph& graph) {
  Strategy resolved = strategy;
  resolved.mesh.clear();
  for (LayerRule& rule : resolved.rules) rule.cuts.clear();
  for (std::size_t a = 0; a < strategy.mesh.size(); ++a) {
    append_axis(strategy, a, graph[0].output, resolved);
  }
  part_shards_from_copies(resolved);
  if (resolved.mesh.size() > kMaxMeshAxes) {
    throw InputError("--strategy", "with its grid and shards the mesh has more than 8 axes",
                     "merge axes, or shard pixels along one axis only");
  }
  return resolved;
}

std::int64_t choose_micro_batches(std::int64_t ranks, std::int64_t chunks,
                                  std::int64_t samples_per_replica) {
  if (ranks == 1) return 1;
  const std::int64_t step = chunks > 1 ? ranks : 1;
  std::int64_t count = std::min(4 * ranks, samples_per_replica) / step * step;
  while (count > step && samples_per_replica % count != 0) count -= step;
  return std::max(count, step);
}

}  // namespace oracle
