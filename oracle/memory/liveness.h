#pragma once
// Which activations and activation gradients are alive after each piece of work?
//
// One micro-batch's forward and backward of a stage are walked item by item. A tensor's copy (in
// one layout) is born when it is made and dies after its last use: its last reader in forward, or
// the last backward pass that keeps it. A tensor that a layer overwrites in place is born once.
// Gradients are born with the first consumer's backward (those of the next stage's consumers arrive
// together) and die after the layer's own.

#include <cstdint>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Transient bytes of a stage at one point of the walk.
struct LivePoint {
  LayerId layer = 0;
  Pass pass = Pass::forward;
  Bytes activations;
  Bytes gradients;
  Bytes total() const { return activations + gradients; }
};

struct Liveness {
  std::vector<LivePoint> points;  ///< one per piece of work, in the order run
  Bytes kept;  ///< activations that outlive forward: held per micro-batch in flight
  Bytes left;  ///< alive after the walk: 0
};

Liveness liveness(const Graph& graph, const Plan& plan, std::size_t stage);

}  // namespace oracle
