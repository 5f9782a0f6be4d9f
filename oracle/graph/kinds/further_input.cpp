// What does a second input of the network cost? Nothing: it comes with the samples.
//
// Token types, masks and the like; and a tensor that is trained and the same for all samples, such
// as the queries of a detector ("stored" says how many elements). A graph has one input layer; this
// one reads it in name only.
//
// Worked: 32 token types: 0 operations, 0 elements touched  tests/graph/kinds/general_test.cpp

#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  layer.output = read_output(layer, attributes);
  layer.mixing = Mixing::whole;
  layer.reach = Reach::whole;
}

}  // namespace

const Kind kFurtherInputKind{.name = "further_input",
                             .text = "another input of the network, or a trained tensor",
                             .attributes = kOutputAttributes,
                             .least_inputs = 1,
                             .most_inputs = 1,
                             .describe = describe,
                             .priced_only = true};

}  // namespace oracle
