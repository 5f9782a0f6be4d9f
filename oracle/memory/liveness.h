#pragma once
// Which activations and activation gradients are alive after each piece of work?
//
// One micro-batch's forward and backward of a stage are walked item by item, in whatever order the
// plan has them. A tensor is born with the item that writes it and dies after its last reader
// (plan/lifetimes.h); tensors that lie in one place are born once. What comes from other stages is
// there when its direction begins, the network's input and the part that a rank takes of a tensor
// with their first reader.
//
// A transfer of tensors holds more while it is under way: what a member gives, packed into equal
// parts, and what arrives, before the tensor is made of it. What is packed and not needed again is
// gone by then. The peak is the highest such moment, of forward and backward, or of the second turn
// of a backward in two: between these what that turn reads waits for it.
//                                   tests/memory/liveness_test.cpp, tests/validate/memory_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Transient bytes of a stage at one point of the walk.
struct LivePoint {
  LayerId layer = 0;
  Pass pass = Pass::forward;  ///< or backward_data; of a second turn of backward, backward_weights
  Bytes activations;
  Bytes gradients;
  Bytes buffers;    ///< of a transfer under way
  Bytes workspace;  ///< of a kernel under way
  Bytes gathered;   ///< weights, whole while they are used
  Bytes scores;     ///< of a loss, in fp32
  Bytes total() const { return activations + gradients + buffers + workspace + gathered + scores; }
};

struct Liveness {
  std::vector<LivePoint> points;  ///< one per layer and direction, in the order run, no workspace
  LivePoint peak;                 ///< the highest, transfers and kernels under way included
  LivePoint weights_peak;         ///< of the second turn of backward
  /// For each gradient of Stage::backward_end the highest from where it is made to the end.
  std::vector<LivePoint> after_gradient;
  Bytes kept;               ///< of activations that outlive forward: held per micro-batch in flight
  Bytes kept_scores;        ///< of scores, likewise
  Bytes waiting;            ///< of activations, for the second turn of backward,
  Bytes waiting_gradients;  ///< and of activation gradients
  Bytes left;               ///< alive after the walk: 0
};

Liveness liveness(const Graph& graph, const Plan& plan, std::size_t stage);

}  // namespace oracle
