#pragma once
// Which cut does each layer get over each mesh axis, and what does one rank then hold of it?
//
// Layers are visited in topological order, so the state in which a layer's input arrives is known
// when its cut is applied. The network's input is loaded in whatever parts its first consumer
// reads.

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "oracle/plan/layout/halo.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// What `cuts`, one per mesh axis, do to layer `id`, whose inputs `assignment` already holds, or
/// why it cannot be cut so. The network's input takes the cuts of its first reader.
std::variant<Effects, Infeasible> effects_of(const Graph& graph, const Assignment& assignment,
                                             LayerId id, std::span<const Cut> cuts,
                                             std::span<const std::int64_t> degrees);

/// Throws InputError when a rule matches no layer. `strategy` is resolved.
std::variant<Assignment, Infeasible> assign(const Graph& graph, const Strategy& strategy);

/// The layout in which layer `id` demands its input number `index`. An input that is broadcast
/// along a sharded axis (extent 1 against the layer's longer input), or that each position reads
/// whole, is demanded replicated.
Layout demanded_input(const Graph& graph, const Assignment& assignment, LayerId id,
                      std::size_t index);

/// The layout in which backward of layer `id` delivers the gradient of input number `index`; of
/// such an input it is a partial sum.
Layout delivered_gradient(const Graph& graph, const Assignment& assignment, LayerId id,
                          std::size_t index);

/// By spatial axis; of axes that are not cut, and of layers without a window, none.
using Halos = std::array<Halo, kSpatialAxes.size()>;

/// By forward_halo or backward_halo.
Halos halos_of(const Layer& layer, const Effects& effects, std::span<const std::int64_t> degrees,
               Halo (*halo)(const Layer&, std::size_t, std::int64_t));

/// What one rank holds of layer `id` when a micro-batch has `samples` samples.
Piece make_piece(const Graph& graph, const Assignment& assignment, const Strategy& strategy,
                 std::span<const std::int64_t> degrees, LayerId id, std::int64_t samples);

/// Product of the degrees over which any layer cuts the samples, at its largest.
std::int64_t sample_groups(const Assignment& assignment, std::span<const std::int64_t> degrees);

/// The spatial axis (0 depth, 1 height, 2 width) of a state, or -1.
int spatial_axis_of(State state);

/// Mesh axes that cut the layer's input along one spatial axis.
AxisSet axes_along(const Effects& effects, std::size_t spatial_axis);

/// Mesh axes over which the layer's weight gradient is a partial sum.
AxisSet gradient_axes(const Effects& effects);

/// Mesh axes along which a layer's keys and values go round; one at most.
AxisSet ring_axes(const Effects& effects);

/// Mesh axes along which the queries of causal attention lie in parts, whose positions are dealt
/// (layout/dealt.h): all tensors of the text's positions lie so. None: parts lie in a row.
AxisSet dealt_axes(const Graph& graph, const Assignment& assignment);

/// Mesh axes that cut the features of the layer's input.
AxisSet feature_axes(const Effects& effects);

/// Mesh axes over which a layer sums the statistics of its batch.
AxisSet statistics_axes(const Layer& layer, const Effects& effects, BatchNormMode mode);

/// Degree over which layer `effects` cuts a spatial axis, over all mesh axes.
std::int64_t spatial_degree(const Effects& effects, std::span<const std::int64_t> degrees,
                            std::size_t spatial_axis);

}  // namespace oracle
