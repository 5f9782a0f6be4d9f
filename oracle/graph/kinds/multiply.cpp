// What does an element-wise product (a gate) compute and touch?
//
//   y[c, p] = x[c, p] · g[c, p]   or   x[c, p] · g[c]   or   x[c, p] · g[p]
//                            the second is squeeze and excitation, Hu et al., CVPR 2018
//
// Forward reads x and writes y; a gate of full shape is read too, one of a value per channel or per
// position is not worth counting. Backward forms dx = dy·g (reads dy, writes dx) and dg = Σ dy·x
// (reads dy and x), 3 operations per element; a gate of full shape is read and its gradient
// written. Both inputs are kept.
//
// Worked: 96x56x56 times 96: 301,056 products, 2 tensors touched
//                                                            tests/graph/kinds/elementwise_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape> inputs) {
  const Shape& gate = inputs[1];
  const bool per_channel = gate.positions() == 1 && gate.channels() == layer.input.channels();
  Shape of_positions = layer.input;
  of_positions[Axis::channel] = 1;
  const bool per_position = gate == of_positions && gate != layer.input;
  if (!per_channel && !per_position && gate != layer.input) {
    throw InputError("",
                     "its inputs are " + to_text(layer.input) + " and " + to_text(gate) +
                         "; the second must have the shape of the first, its channels only, or its "
                         "positions only",
                     "name the larger tensor first in \"from\"");
  }
  const double full = gate == layer.input ? 1 : 0;
  layer.output = layer.input;
  // A value per position serves all channels, and its gradient sums over them.
  layer.mixing = per_position ? Mixing::whole : Mixing::channelwise;
  layer.reach = Reach::pointwise;
  layer.work = {{{1, 1 + full, 1, 0}, {3, 2 + 2 * full, 2, 0}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kMultiplyKind{"multiply", "product with a tensor or a gate per channel", {}, 2, 2, false,
                         describe};

}  // namespace oracle
