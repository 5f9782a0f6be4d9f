#include "validate/program/region.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::array<std::int64_t Extents::*, kRegionAxes> kFields = {
    &Extents::samples, &Extents::channels, &Extents::depth, &Extents::height, &Extents::width};

std::int64_t total(const Intervals& intervals) {
  std::int64_t sum = 0;
  for (const Interval& interval : intervals) sum += interval.size();
  return sum;
}

/// Local begin of `part`, which lies in one of `held`.
std::int64_t local_begin(const Intervals& held, const Interval& part) {
  std::int64_t before = 0;
  for (const Interval& interval : held) {
    if (interval.begin <= part.begin && part.end <= interval.end) {
      return before + part.begin - interval.begin;
    }
    before += interval.size();
  }
  throw Defect("boxes_in: the part is not held");
}

}  // namespace

std::vector<std::int64_t> positions_of(const Intervals& intervals) {
  std::vector<std::int64_t> positions;
  for (const Interval& interval : intervals) {
    for (std::int64_t p = interval.begin; p < interval.end; ++p) positions.push_back(p);
  }
  return positions;
}

std::int64_t& extent_at(Extents& extents, std::size_t axis) { return extents.*kFields[axis]; }
std::int64_t extent_at(const Extents& extents, std::size_t axis) { return extents.*kFields[axis]; }

Extents Region::extents() const {
  Extents extents;
  for (std::size_t d = 0; d < kRegionAxes; ++d) extent_at(extents, d) = total(along[d]);
  return extents;
}

Extents Region::begin() const {
  Extents begin;
  for (std::size_t d = 0; d < kRegionAxes; ++d) {
    ensure(!along[d].empty(), "Region::begin of an empty region");
    extent_at(begin, d) = along[d].front().begin;
  }
  return begin;
}

Region whole_region(const Extents& extents) {
  Region region;
  for (std::size_t d = 0; d < kRegionAxes; ++d) region.along[d] = {{0, extent_at(extents, d)}};
  return region;
}

Region intersection(const Region& a, const Region& b) {
  Region common;
  for (std::size_t d = 0; d < kRegionAxes; ++d) {
    for (const Interval& x : a.along[d]) {
      for (const Interval& y : b.along[d]) {
        const Interval both{std::max(x.begin, y.begin), std::min(x.end, y.end)};
        if (both.begin < both.end) common.along[d].push_back(both);
      }
    }
  }
  return common;
}

std::vector<Box> boxes_in(const Region& held, const Region& part) {
  std::vector<Box> boxes = {Box{}};
  for (std::size_t d = 0; d < kRegionAxes; ++d) {
    std::vector<Box> longer;
    for (const Box& box : boxes) {
      for (const Interval& interval : part.along[d]) {
        Box next = box;
        extent_at(next.begin, d) = local_begin(held.along[d], interval);
        extent_at(next.size, d) = interval.size();
        longer.push_back(next);
      }
    }
    boxes = std::move(longer);
  }
  return boxes;
}

}  // namespace oracle
