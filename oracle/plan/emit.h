#pragma once
// Which items, in which order, does a stage run?
//
// Forward: for each layer the conversions of its inputs to the layouts it demands (one per tensor and
// layout, however many consumers), halos, statistics, then its work. Backward, in reverse: the gradients
// of the layer's consumers, equal layouts summed before they are converted, halos, then the passes. Last
// the gradient exchange in buckets, in the order backward makes them ready, and the update.

#include "oracle/plan/assignment.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Fills `stage.items`, its dependencies and its messages. `plan` has pieces, degrees and training;
/// `samples` is the global number of samples in a micro-batch.
void emit_stage(const Graph& graph, const Plan& plan, const Assignment& assignment,
                std::int64_t samples, Stage& stage);

/// Whether backward computes the gradient of a layer's output: some layer at or before it is trained.
std::vector<bool> needs_gradient(const Graph& graph);

}  // namespace oracle
