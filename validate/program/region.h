#pragma once
// Which positions of a whole tensor lie on a rank?
//
// A region is a product of position lists, one per axis: samples, channels, depth, height, width. A
// list is intervals [begin, end), ascending and apart; the rank's tensor joins them. Every exchange
// between ranks is intersections of regions: what I hold and a member wants.
//
// Worked: rows [0, 2) and [4, 6) of 8, of which [1, 5) is wanted: rows 1 and 4, boxes at local rows
// 1 and 2.                                              tests/validate/program/region_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "microbench/kernels/tensor.h"
#include "oracle/graph/shape.h"

namespace oracle {

struct Interval {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};
using Intervals = std::vector<Interval>;

/// One by one, in the order of the intervals.
std::vector<std::int64_t> positions_of(const Intervals& intervals);

/// The axes of a local tensor in the order of Axis: sample, channel, depth, height, width.
inline constexpr std::size_t kRegionAxes = 5;
inline constexpr std::size_t kChannelAxis = static_cast<std::size_t>(Axis::channel);
inline constexpr std::size_t kWidthAxis = static_cast<std::size_t>(Axis::width);
std::int64_t& extent_at(Extents& extents, std::size_t axis);
std::int64_t extent_at(const Extents& extents, std::size_t axis);

struct Region {
  std::array<Intervals, kRegionAxes> along;

  Extents extents() const;
  std::int64_t elements() const { return extents().elements(); }
  /// Of the first interval along every axis. Requires a region that is not empty.
  Extents begin() const;
  bool operator==(const Region&) const = default;
};

/// All of a tensor.
Region whole_region(const Extents& extents);
Region intersection(const Region& a, const Region& b);

/// Where the parts of `part` lie in the local tensor of `held`, which contains it, in the order of
/// its intervals, samples outermost.
std::vector<Box> boxes_in(const Region& held, const Region& part);

}  // namespace oracle
