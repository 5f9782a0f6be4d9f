// What does moving elements to other places cost?
//
// For what no other kind has: joins along positions, mirrors, padding that is a layer of its own,
// blocks of positions made channels, rows taken or put by index, repeats. Forward writes y and
// reads as much; backward reads dy and writes a gradient for each input. No operation, nothing
// kept.
//
// Where an output needs which input is not known, so it is not cut but along the samples.
//
// Worked: two 16x20 joined to 16x40: 1,280 elements touched forward
//                                                            tests/graph/kinds/general_test.cpp

#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  layer.output = read_operator_output(layer, attributes);
  layer.mixing = Mixing::whole;
  layer.reach = Reach::whole;
  const double gradients = elements_read(layer, inputs);
  layer.work = {{{0, 0, 2, 0}, {0, gradients, 1, 0}, {}}};
}

}  // namespace

const Kind kMovementKind{.name = "movement",
                         .text = "elements moved to other places, joined or repeated",
                         .attributes = kOperatorAttributes,
                         .least_inputs = 1,
                         .most_inputs = kManyInputs,
                         .describe = describe,
                         .priced_only = true};

}  // namespace oracle
