// What does another shape of the same elements cost? Nothing: the tensor is seen differently.
//
// Where the features stay, so does a shard of them; where the positions stay, so does a shard of
// those. Otherwise a shard of the input is no shard of the output, and it is not cut.
//
// Worked: 768x14x14 → 768x196 stays cut by features            tests/graph/kinds/reshape_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  layer.output = read_output(layer, attributes);
  if (layer.output.elements() != layer.input.elements()) {
    throw InputError("",
                     "its input is " + to_text(layer.input) + " and its output " +
                         to_text(layer.output) + ", which has another number of elements",
                     "correct \"features\" or \"extents\"");
  }
  keep_what_stays(layer);
  layer.in_place = true;
}

}  // namespace

const Kind kReshapeKind{
    "reshape", "another shape of the same elements", kOutputAttributes, 1, 1, false, describe};

}  // namespace oracle
