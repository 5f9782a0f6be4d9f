#pragma once
// Which positions does a region hold, one by one?              tests/validate/data/dataset_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "validate/program/region.h"

namespace oracle {

/// The positions along an axis, in the region's order.
inline std::vector<std::int64_t> positions_of(const Intervals& intervals) {
  std::vector<std::int64_t> positions;
  for (const Interval& interval : intervals) {
    for (std::int64_t p = interval.begin; p < interval.end; ++p) positions.push_back(p);
  }
  return positions;
}

/// Calls `visit(sample, channel, depth, height, width)` for every position, in the region's order.
template <typename Visit>
void for_each_position(const Region& region, Visit visit) {
  std::array<std::vector<std::int64_t>, kRegionAxes> positions;
  for (std::size_t axis = 0; axis < kRegionAxes; ++axis) {
    positions[axis] = positions_of(region.along[axis]);
  }
  for (const std::int64_t n : positions[0]) {
    for (const std::int64_t c : positions[1]) {
      for (const std::int64_t d : positions[2]) {
        for (const std::int64_t h : positions[3]) {
          for (const std::int64_t w : positions[4]) visit(n, c, d, h, w);
        }
      }
    }
  }
}

}  // namespace oracle
