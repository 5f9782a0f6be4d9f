// What do several outputs of a network cost? Nothing: each is there already.
//
// The first is handed on to the loss; the others are kept beside it until then, and no gradient but
// zero comes back to them.
//
// Worked: scores of 10 and a map of 16x6x6: the output is 10, 0 operations
//                                                            tests/graph/kinds/general_test.cpp

#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape>) {
  layer.output = layer.input;
  layer.mixing = Mixing::whole;
  layer.reach = Reach::whole;
  layer.in_place = true;
}

}  // namespace

const Kind kOutputsKind{.name = "outputs",
                        .text = "several outputs of the network, of which the first is trained",
                        .attributes = {},
                        .least_inputs = 2,
                        .most_inputs = kManyInputs,
                        .describe = describe,
                        .priced_only = true};

}  // namespace oracle
