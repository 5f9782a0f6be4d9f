// What does an operator cost of which only the tensors are known?
//
// At least the time to move them: each pass streams the inputs and the output once, and no
// operation is counted. Nothing is known of which output needs which input, so it is never cut but
// along the samples, and its inputs are kept.
//
// Worked: 64x28x28 → 10x14x14: 0 FLOP, 52,136 elements a pass tests/graph/kinds/opaque_test.cpp

#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  layer.output = read_operator_output(layer, attributes);
  const double read = elements_read(layer, inputs);
  layer.mixing = Mixing::whole;
  layer.reach = Reach::whole;
  layer.work = {{{0, read, 1, 0}, {0, read, 1, 0}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kOpaqueKind{.name = "opaque",
                       .text = "an operator that is not known, priced by its bytes",
                       .attributes = kOperatorAttributes,
                       .least_inputs = 1,
                       .most_inputs = kManyInputs,
                       .describe = describe,
                       .priced_only = true};

}  // namespace oracle
