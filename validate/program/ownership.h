#pragma once
// Which region of a tensor does a rank hold in a layout, and while a layout changes?
//
// The parts of a tensor axis and their order are those of oracle/plan/layout/parts.h, in grains of
// the layer's where channels are cut. A cut that goes leaves each rank with the parts that agree in
// all other digits; messages over axes that already are as demanded then number the parts as the
// target does (oracle/plan/layout/layout.h). A partial sum is held whole. Positions of a text may
// be dealt: then the parts lie in a row in that order (oracle/plan/layout/dealt.h).
//
// Worked: 7 rows over 2×2 ranks: [0, 1), [1, 3), [3, 5), [5, 7); gathered over the outer axis,
// ranks 0 and 2 hold [0, 1) and [3, 5); 8 positions dealt to 2 ranks: [0, 2) and [6, 8), or [2, 6).
//                                                        tests/validate/program/ownership_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/layout/layout.h"
#include "validate/program/mesh.h"
#include "validate/program/region.h"

namespace oracle {

/// A tensor before it is cut.
struct Whole {
  Extents extents;
  std::int64_t grain = 1;  ///< channels that no cut separates
  std::int64_t dealt = 1;  ///< parts in which positions along the width are dealt
};

/// The output of a layer for a micro-batch of `samples`.
Whole whole_of(const Layer& layer, std::int64_t samples);

Region region_of(const Whole& whole, const Layout& layout, const Mesh& mesh, int rank);

/// A tensor on its way from one layout to another.
class LayoutChange {
 public:
  LayoutChange(const Whole& whole, const Layout& from, const Layout& to, const Mesh& mesh);

  Region held(int rank) const;
  /// What is replicated and will be cut is cut, which costs no message.
  void take_parts();
  void settle(const Conversion& step);

 private:
  Whole whole_;
  const Mesh& mesh_;
  Layout current_, to_;
  std::array<PartOrder, kRegionAxes> nested_, target_;
  std::array<bool, kRegionAxes> renumbered_{};
};

}  // namespace oracle
