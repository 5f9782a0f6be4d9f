#pragma once
// Which region of a tensor does a rank hold in a layout, and while a layout changes?
//
// The mesh axes that cut a tensor axis number its parts in mixed radix, the outermost counting
// most; part r of p along L positions is [⌊rL/p⌋, ⌊(r+1)L/p⌋). While a layout changes, cuts that
// come divide the parts there are further, whichever mesh axis they are over, and a cut that goes
// leaves each rank with the parts that agree in all other digits; an exchange over axes that
// already are as demanded then numbers the parts as the target does (oracle/plan/layout.h). A
// partial sum is held whole.
//
// Flattening turns channel c into features [cP, (c+1)P): such a tensor is cut in grains of P.
//
// Worked: 7 rows over 2×2 ranks: [0, 1), [1, 3), [3, 5), [5, 7); gathered over the outer axis,
// ranks 0 and 2 hold [0, 1) and [3, 5). tests/validate/program/ownership_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/layout.h"
#include "validate/program/mesh.h"
#include "validate/program/region.h"

namespace oracle {

/// A tensor before it is cut.
struct Whole {
  Extents extents;
  std::int64_t grain = 1;  ///< channels that no cut separates
};

/// The output of a layer for a micro-batch of `samples`.
Whole whole_of(const Layer& layer, std::int64_t samples, std::int64_t grain);

/// Channels of every layer's output that no cut separates.
std::vector<std::int64_t> channel_grains(const Graph& graph);

Region region_of(const Whole& whole, const Layout& layout, const Mesh& mesh, int rank);

/// A tensor on its way from one layout to another.
class LayoutChange {
 public:
  LayoutChange(const Whole& whole, const Layout& from, const Layout& to, const Mesh& mesh);

  Region held(int rank) const;
  /// What is replicated and will be cut is cut, which costs no message.
  void take_parts();
  /// True where the step moves whole parts to other ranks, as they are numbered otherwise.
  bool renumbers(const Conversion& step) const;
  void settle(const Conversion& step);

 private:
  /// Along one tensor axis, the mesh axes that number its parts, outermost first.
  using Order = std::vector<std::size_t>;

  Whole whole_;
  const Mesh& mesh_;
  Layout current_, to_;
  std::array<Order, kRegionAxes> nested_, target_;
  std::array<bool, kRegionAxes> renumbered_{};
};

}  // namespace oracle
