#pragma once
// Which copies of which tensors does a stage hold, and until when is each needed?
//
// A tensor (a layer's output) exists in the layout its producer delivers and in each layout a
// consumer demands. A copy that backward needs is kept until the last backward pass that reads it.
// Layers that work in place, or only look at their input differently (flatten), share their input's
// storage.

#include <cstdint>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/plan/plan.h"

namespace oracle {

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

}  // namespace oracle
