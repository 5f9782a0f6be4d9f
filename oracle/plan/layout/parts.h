#pragma once
// How large are the parts of one tensor axis, and which of them change hands when they are numbered
// again?
//
// The mesh axes that cut a tensor axis number its parts in mixed radix, the outermost counting
// most; part r of p along L positions is [⌊rL/p⌋, ⌊(r+1)L/p⌋). While a layout changes, cuts that
// come divide the parts there are further, whichever mesh axis they are over: the order of the
// parts is that of the cuts there were, then of those that come. Who is cut over some of these axes
// only holds the parts that agree with him in their digits.
//
// Worked: 7 rows over 2×2: parts of 1, 2, 2, 2. Cut over the outer axis alone a rank holds 3 or 4
// of them side by side; over the inner one alone rows 0, 3 and 4, or 1, 2, 5 and 6; to number the
// latter as the outer axis would, a rank sends 2 rows. tests/plan/layout/parts_test.cpp

#include <array>
#include <cstdint>
#include <span>

#include "oracle/cluster/placement.h"

namespace oracle {

/// Mesh axes that number the parts of one tensor axis, outermost first.
class PartOrder {
 public:
  void push_back(std::size_t axis) { axes_[size_++] = axis; }
  const std::size_t* begin() const { return axes_.data(); }
  const std::size_t* end() const { return axes_.data() + size_; }
  std::size_t size() const { return size_; }
  std::size_t operator[](std::size_t i) const { return axes_[i]; }

 private:
  std::array<std::size_t, kMaxMeshAxes> axes_{};
  std::size_t size_ = 0;
};

/// Along one tensor axis.
struct Parts {
  std::int64_t extent = 1;
  std::int64_t grain = 1;  ///< positions that no cut separates; divides the extent
  PartOrder order;
  std::span<const std::int64_t> degrees;

  std::int64_t count() const;
  /// First position of part `part`, or of the end.
  std::int64_t begin_of(std::int64_t part) const;
};

/// The most positions that anybody holds who is cut over the axes `over` of the order.
std::int64_t largest_share(const Parts& parts, AxisSet over);

/// The most positions that one rank sends away when ranks cut over the axes of `wanted` hold their
/// shares of `parts`, which has more axes or another order, and each is to have its part in the
/// order of `wanted`.
std::int64_t most_renumbered(const Parts& parts, const PartOrder& wanted);

}  // namespace oracle
