#pragma once
// Which positions does a region hold, one by one?              tests/validate/data/dataset_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "validate/program/region.h"

namespace oracle {

/// Positions along each axis.
using RegionPositions = std::array<std::vector<std::int64_t>, kRegionAxes>;

inline RegionPositions positions_of(const Region& region) {
  RegionPositions positions;
  for (std::size_t axis = 0; axis < kRegionAxes; ++axis) {
    positions[axis] = positions_of(region.along[axis]);
  }
  return positions;
}

/// Calls `visit(sample, channel, depth, height)` for every row of positions along the width.
template <typename Visit>
void for_each_row(const RegionPositions& positions, Visit visit) {
  for (const std::int64_t n : positions[0]) {
    for (const std::int64_t c : positions[1]) {
      for (const std::int64_t d : positions[2]) {
        for (const std::int64_t h : positions[3]) visit(n, c, d, h);
      }
    }
  }
}

/// Calls `visit(sample, channel, depth, height, width)` for every position, in the region's order.
template <typename Visit>
void for_each_position(const Region& region, Visit visit) {
  const RegionPositions positions = positions_of(region);
  for_each_row(positions, [&](std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h) {
    for (const std::int64_t w : positions[4]) visit(n, c, d, h, w);
  });
}

}  // namespace oracle
