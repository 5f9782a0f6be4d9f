#pragma once
// Which items, in which order, does a stage run?
//
// Forward: for each layer the conversions of its inputs to the layouts it demands (one per tensor
// and layout, however many consumers), halos, statistics, then its work; a layer that another's
// kernel computes (Plan::fused) has none. Backward, in reverse: the
// gradients of the layer's consumers, equal layouts summed before they are converted, halos, then
// the passes, and of a pool the halos' gradients on their way back. Last the gradient exchange in
// buckets, in the order backward makes them ready, and the update.

#include "oracle/plan/assignment.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Fills the items, dependencies and messages of every stage of `plan`, whose stages have their
/// layers and which has pieces, degrees and training.
void emit_stages(const Graph& graph, const Assignment& assignment, Plan& plan);

/// Whether backward computes the gradient of a layer's output: some layer at or before it is
/// trained.
std::vector<bool> needs_gradient(const Graph& graph);

}  // namespace oracle
