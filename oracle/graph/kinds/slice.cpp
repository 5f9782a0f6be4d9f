// What does taking a part of a tensor touch?
//
// Forward reads the part and writes it. Backward reads dy and writes all of dx, zeros where nothing
// was taken. A split is one slice for each piece; the gradients of the pieces are added up as those
// of any tensor with several readers, which costs more than the join that a library may use.
//
// Worked: 2304x196 → 768x196: forward 301,056 elements, backward 602,112
//                                                              tests/graph/kinds/reshape_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  layer.output = read_output(layer, attributes);
  for (std::size_t axis = 0; axis < kAxisCount; ++axis) {
    if (layer.output.extent[axis] <= layer.input.extent[axis]) continue;
    throw InputError(
        "", "its input is " + to_text(layer.input) + " and has no part of " + to_text(layer.output),
        "lower \"features\" or \"extents\"");
  }
  keep_what_stays(layer);
  layer.work = {{{0, 0, 2, 0}, {0, 1, 1, 0}, {}}};
}

}  // namespace

const Kind kSliceKind{"slice", "a part of a tensor", kOutputAttributes, 1, 1, false, describe};

}  // namespace oracle
