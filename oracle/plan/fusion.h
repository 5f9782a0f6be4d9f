#pragma once
// Which layers does one kernel compute?
//
// Where a kernel makes a tensor it can do with each value, while that is at hand, what the layer
// behind it would take a pass over memory for:
//
//   y = relu(w ∗ x + b)    x is read and y written; apart, w ∗ x + b is written and read besides
//
// Two layers are one in forward where the kernels of the device can (Device::fusions), no one else
// reads the tensor between them, and it reaches the second as the first leaves it: in one stage of
// a pipeline and in one layout. A partial sum of a convolution cut by channel is completed first,
// so nothing fuses there.
//
// Backward stays two kernels behind a convolution, a dense layer and a sum: a rectifier's gradient
// follows from its output, which is kept. Behind a batch norm it is one as well, which reads
//
//   dy·[y > 0],  y = γ·x̂ + β  made again of the x that it reads anyway,
//
// so that the rectifier has no item, moves nothing, and its output is kept for no one's backward
// but its readers'. The gradient must then reach both layers in one layout, too.
//
// Some frameworks add a residual and rectify the sum in the kernel of the batch norm that the sum
// reads (Framework::half_fuses_sums): forward reads the other term besides, backward writes its
// gradient besides. These stay items of their own, of that one tensor each.
//
// Worked: of conv1 → relu1 → conv2 → relu2 on a device that fuses, relu1 and relu2 under
// `filter:2`; where conv2 is cut by channel, relu1 alone             tests/plan/fusion_test.cpp

#include <optional>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

/// What the layer and the one that it reads are together, however they are cut; nothing where no
/// kernel could compute both.
std::optional<Fusion> fusion_with_its_input(const Graph& graph, LayerId id);

/// Whether a device with `fusions` may compute the layer in the kernel of the one that it reads.
bool may_fuse(const Graph& graph, LayerId id, const Fusions& fusions);

/// Whether what fuses so is one kernel in backward, too.
bool takes_backward_along(Fusion fusion);

/// Plan::fused of a plan whose pieces and stages are known.
std::vector<bool> fused_layers(const Graph& graph, const Plan& plan, const Fusions& fusions);

/// Sets Piece::in_norm of a plan whose fused layers are known.
void find_sums_in_norms(const Graph& graph, Plan& plan);

/// Whether the layer has no item in backward either: the kernel of the one that it reads takes the
/// gradient of this one's output.
bool is_fused_backward(const Graph& graph, const Plan& plan, LayerId id);

/// Whether backward reads the layer's output, so that forward keeps it (Layer::keeps_output).
bool keeps_output(const Graph& graph, const Plan& plan, LayerId id);

/// The layer whose kernel computes the forward of `id`: mostly itself.
LayerId computed_in(const Graph& graph, const Plan& plan, LayerId id);

/// The last layer that the forward kernel of `id` computes: mostly itself.
LayerId computes_up_to(const Graph& graph, const Plan& plan, LayerId id);

}  // namespace oracle
