#pragma once
// Which items, in which order, does a stage run?
//
// Forward: for each layer the conversions of its inputs to the layouts it demands (one per tensor
// and layout, however many consumers), halos, statistics, then its work; a layer that another's
// kernel computes (Plan::fused) has none. Backward, in reverse: forward of what is computed again
// (recompute.h), just before the last layer that needs it, the
// gradients of the layer's consumers, equal layouts summed before they are converted, halos, then
// the passes, and of a pool the halos' gradients on their way back. Where a schedule parts backward
// in two turns (pipeline_order.h), gradients of weights come last, in the same order, but for those
// that a kernel makes together with its input's. Then the gradient exchange in buckets, in the
// order backward makes them ready, and the update.
//
//   item              reads                                        writes
//   forward           inputs (the first with halos), statistics    output, mask or scores
//   backward_data     output gradient (with halos), kept inputs,   gradients of the inputs that
//                     kept output, mask or scores, statistics      need one, scores' gradient
//   backward_weights  output gradient, kept inputs, kept output,   weight gradient
//                     mask
//   gradient_sum      sum, term                                    sum
//   quantize          output, or its gradient, or what was made    the same in fewer bits, in rows,
//                     of it (quantizer.h)                          turned round, or both
//   transfer          what it moves, or sums statistics of         what becomes of it
//   bucket            weight gradients                             the same
//   update            all weight gradients                         -
//
// Worked: fc1 of fc1 → fc2 → loss reads x and writes h; its backward_weights reads the gradient of
// h and x, which forward keeps                                        tests/plan/emit_test.cpp

#include "oracle/plan/plan.h"

namespace oracle {

/// Fills the items, dependencies and messages of every stage of `plan`, whose stages have their
/// layers and which has assignment, pieces, degrees and training.
void emit_stages(const Graph& graph, Plan& plan, Twins twins = Twins::whole);

}  // namespace oracle
