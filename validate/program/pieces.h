#pragma once
// Which regions of its tensors does a rank hold, read and compute of a layer?
//
// Everything that follows from plan and mesh alone, for any rank: an exchange needs to know what
// its partners hold.                                    tests/validate/program/pieces_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/graph/layer.h"
#include "oracle/plan/assignment.h"
#include "oracle/plan/plan.h"
#include "validate/program/mesh.h"
#include "validate/program/ownership.h"
#include "validate/program/region.h"

namespace oracle {

// Which positions does a piece of a windowed layer read, and with which padding does its kernel
// run?
//
// Wide and narrow positions and what a window joins: oracle/plan/layout/slide.h.
//   gathering  what narrow positions read, within the tensor; what lies outside of it is padding
//   spreading  what touches wide positions [i, j), from narrow a on; the local padding keeps the
//              window's equation true, pad + i − a·s
// Forward of a convolution gathers and its backward_data spreads; a transposed one the other way
// round.
//
// Worked: 3×3, stride 2, pad 1 on 8 rows over 2 ranks, outputs [2, 4): reads [3, 8), no padding;
// the gradient of inputs [4, 8) takes outputs [2, 4) with a local padding of 1.
//                                                        tests/validate/program/geometry_test.cpp

/// One spatial axis of a piece: its wide and narrow positions and the padding that joins them.
struct Fit {
  Interval wide, narrow;
  std::int64_t pad_before = 0, pad_after = 0;
};

/// `axis`: 0 depth, 1 height, 2 width. Wide positions that the piece holds beyond the last window
/// stay (`held`), so that nothing is copied for their sake.
Fit gathering_fit(const Layer& layer, std::size_t axis, Interval narrow, Interval held);
/// Wide positions before the first that is touched are left out. Throws InputError where nothing
/// touches the piece.
Fit spreading_fit(const Layer& layer, std::size_t axis, Interval wide);

/// Whether a layer is another input of the network that comes as numbers of a table's rows.
bool is_second_text(const Graph& graph, LayerId id);

/// A set of spatial axes, one bit each (bit 0: depth).
using SpatialSet = unsigned;
inline constexpr std::size_t kFirstSpatial = static_cast<std::size_t>(Axis::depth);

/// The layers of a plan, cut, for micro-batches of one size. Graph and plan must outlive it.
class Pieces {
 public:
  /// Throws InputError where a layer has an axis that no kernel knows (a sequence), or
  /// a weight of a layer of another kind.
  Pieces(const Graph& graph, const Plan& plan, std::int64_t samples);
  Pieces(const Graph& graph, const Plan&& plan, std::int64_t samples) = delete;
  Pieces(const Graph&& graph, const Plan& plan, std::int64_t samples) = delete;

  const Graph& graph() const { return graph_; }
  const Plan& plan() const { return plan_; }
  const Assignment& assignment() const { return plan_.assignment; }
  const Effects& effects(LayerId id) const { return plan_.assignment.effects[id]; }
  const Mesh& mesh() const { return mesh_; }
  std::int64_t samples() const { return samples_; }

  /// The layer's output, before it is cut.
  Whole whole(LayerId id) const;
  Region in_layout(LayerId tensor, const Layout& layout, int rank) const;
  Region output(LayerId id, int rank) const;
  /// Of input number `index`, as the layer demands it, without halo.
  Region input(LayerId id, std::size_t index, int rank) const;

  bool cuts(LayerId id, std::size_t spatial_axis) const;
  /// Cut spatial axes in the order of the mesh, those with a halo.
  std::vector<std::size_t> halo_axes(LayerId id, Pass pass) const;

  /// How the pass's window joins input and output along a cut spatial axis.
  Fit fit(LayerId id, Pass pass, std::size_t spatial_axis, int rank) const;
  /// What the pass reads along the axis: of the first input in forward, of the output gradient in
  /// backward_data.
  Interval read(LayerId id, Pass pass, std::size_t spatial_axis, int rank) const;
  /// What a rank holds of that tensor once halos came along `done`.
  Region with_halos(LayerId id, Pass pass, SpatialSet done, int rank) const;

 private:
  Region source(LayerId id, Pass pass, int rank) const;

  const Graph& graph_;
  const Plan& plan_;
  Mesh mesh_;
  std::int64_t samples_;
  std::vector<std::int64_t> dealt_;  ///< by layer, as of Whole
};

}  // namespace oracle
