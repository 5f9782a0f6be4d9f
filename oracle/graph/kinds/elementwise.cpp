// What does a function of the elements of one or more tensors compute and touch?
//
//   y[i] = f(x₁[i], x₂[i], …), a tensor that is smaller repeated to fit
//
// For functions that no other kind has: maximum, comparison, choice, rounding, sine, … Forward
// reads every input and writes y, one operation per element and input. Backward reads dy and the
// inputs and writes a gradient for each. Inputs of other shapes than y are read whole: such a layer
// is not cut but along the samples.
//
// Worked: the maximum of two 16x8x8: 2,048 operations, 3 tensors touched
//                                                            tests/graph/kinds/general_test.cpp

#include <algorithm>

#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr std::size_t kMostOperands = 64;

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  layer.output = read_operator_output(layer, attributes);
  const bool alike = std::all_of(inputs.begin(), inputs.end(),
                                 [&](const Shape& shape) { return shape == layer.output; });
  layer.mixing = alike ? Mixing::channelwise : Mixing::whole;
  layer.reach = alike ? Reach::pointwise : Reach::whole;
  const double read = elements_read(layer, inputs);
  const auto operands = static_cast<double>(inputs.size());
  layer.work = {{{operands, read, 1, 0}, {operands, 2 * read, 1, 0}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kElementwiseKind{.name = "elementwise",
                            .text = "a function of the elements of one or more tensors",
                            .attributes = kOperatorAttributes,
                            .least_inputs = 1,
                            .most_inputs = kMostOperands,
                            .describe = describe,
                            .priced_only = true};

}  // namespace oracle
