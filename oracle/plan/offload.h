#pragma once
// When does what lies in the memory of the host cross the link to it?
//
// offload=optimizer (Ren et al., "ZeRO-Offload", USENIX ATC 2021): moments and master copy lie on
// the host, which updates them; the device has weights and gradients. A bucket of gradients, or the
// rank's shard of it, goes down once it is summed, while backward goes on; the update waits for
// all; the weights come back behind it, and are gathered from there. So a rank that updates M
// parameters sends gradients of M and receives weights of M, once a step (exchange.h). Gradients
// are summed over micro-batches on the device; ZeRO-Offload has them on the host alone. Weights
// that are exchanged once they are updated (servers, averages) have their state on the device.
//
// offload=activations: what a unit of forward keeps for backward goes down while the next unit
// computes; the one after that waits for it, so that two are on their way at most. Backward of a
// unit begins to bring back what the one before it reads. A unit is a block (graph/blocks.h), or a
// layer outside of them. The last one of a stage, with which backward begins, stays. Of a schedule
// whose backward is two turns it is refused. offload=activations:N does so in the first N blocks of
// a stage and before them (of a network without blocks, in its first N layers).
//
// Each direction of the link makes its copies one after the other, beside what is computed. With
// t_k the time of a unit's copy and t_c that of computing a unit, forward takes about the larger of
// both for each unit: copies are hidden where
//
//   kept bytes / link ≤ t_c                         Rajbhandari et al., "ZeRO-Infinity", 2104.07857
//
// Worked: of fc1 → fc2 → fc3 → loss outputs of fc1 and fc2 go and come, with activations:2 that of
// fc1 alone; what the loss reads stays                                tests/plan/offload_test.cpp

#include "oracle/plan/plan.h"

namespace oracle {

/// Of a layer's weights, where the host updates them.
HostUpdate updated_on_host(const Graph& graph, const Plan& plan, LayerId id);

/// Lets tensors that forward of a written stage keeps for backward lie on the host. Comes after
/// what shares storage is known, and before the exchange is written.
void offload_activations(const Graph& graph, const Offload& offload, Stage& stage);

}  // namespace oracle
