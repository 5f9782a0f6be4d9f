#pragma once
// Which copies of which tensors does a stage hold, and until when is each needed?
//
// A tensor (a layer's output) exists in the layout its producer delivers and in each layout a
// consumer demands. A layer that reads halos reads a copy of its own, slab and halos side by side.
// A copy that backward needs is kept until the last backward pass that reads it. Layers that work
// in place, or only look at their input differently (flatten), share their input's storage.

#include <cstdint>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// The tensor of a copy with halos, which nobody else reads.
inline constexpr LayerId kNoTensor = 0xffffffff;

struct Copy {
  LayerId tensor = 0;
  Layout layout{};
  Bytes bytes;
  LayerId born = 0;           ///< forward of this layer makes it
  LayerId last_forward = 0;   ///< last layer whose forward reads it
  bool kept = false;          ///< some backward reads it
  LayerId last_backward = 0;  ///< the layer whose backward reads it last (the lowest id), if kept
};

/// The storages of a stage for one micro-batch; copies that share storage appear once.
std::vector<Copy> copies_of(const Graph& graph, const Plan& plan, const Stage& stage);

/// Bytes that the rank with most holds of a tensor in a layout.
Bytes bytes_in(const Graph& graph, const Plan& plan, LayerId tensor, const Layout& layout);

/// What the layer reads with its halos: its first input in forward, its output's gradient in
/// backward_data. None where no halo comes.
Bytes bytes_with_halos(const Graph& graph, const Plan& plan, LayerId id, Pass pass);

}  // namespace oracle
