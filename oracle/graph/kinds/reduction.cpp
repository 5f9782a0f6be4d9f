// What does reducing a tensor along some of its axes compute and touch?
//
//   y[i] = Σ_k x[i, k], or the mean, the maximum, the place of the maximum, …
//
// Forward reads x and writes y, one operation for each element of x. Backward reads dy and writes
// dx; x is kept, as a maximum or a product needs it. A shard along the features stays one where
// these are not reduced.
//
// Worked: the maximum of 16x20 over 20 tokens: 320 operations, 336 elements touched
//                                                            tests/graph/kinds/general_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  layer.output = read_operator_output(layer, attributes);
  const std::int64_t in = layer.input.elements(), out = layer.output.elements();
  if (in % out != 0) {
    throw InputError("",
                     "its input is " + to_text(layer.input) + " and cannot be reduced to " +
                         to_text(layer.output),
                     "correct \"features\" or \"extents\"");
  }
  keep_what_stays(layer);
  const std::int64_t each = in / out;
  const auto summed = static_cast<double>(each);
  layer.work = {{{summed, 1, 1, 0}, {summed, 2, 1, 0}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kReductionKind{.name = "reduction",
                          .text = "a sum, a mean or a maximum along some axes",
                          .attributes = kOperatorAttributes,
                          .least_inputs = 1,
                          .most_inputs = 1,
                          .describe = describe,
                          .priced_only = true};

}  // namespace oracle
