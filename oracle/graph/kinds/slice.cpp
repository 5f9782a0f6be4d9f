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
#include "oracle/graph/kinds/window.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    kOutputAttributes[0],
    kOutputAttributes[1],
    kOutputAttributes[2],
    {"begin_features", "the first feature that is taken; 0"},
    {"begin", "the first position that is taken: one number, or one per spatial axis; 0"},
};

void read_begin(Layer& layer, const Attributes& attributes) {
  const auto at = [&](Axis axis) -> std::int64_t& {
    return layer.begin[static_cast<std::size_t>(axis)];
  };
  at(Axis::channel) = attributes.integer("begin_features", 0, 0);
  const auto begin = over_axes(attributes.extents("begin", layer.spatial_rank, 0, 0), 0);
  for (std::size_t axis = 0; axis < kSpatialAxes.size(); ++axis) {
    at(kSpatialAxes[axis]) = begin[axis];
  }
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  layer.output = read_output(layer, attributes);
  read_begin(layer, attributes);
  for (std::size_t axis = 0; axis < kAxisCount; ++axis) {
    if (layer.begin[axis] + layer.output.extent[axis] <= layer.input.extent[axis]) continue;
    throw InputError("",
                     "its input is " + to_text(layer.input) + " and has no part of " +
                         to_text(layer.output) +
                         (layer.begin == decltype(layer.begin){} ? "" : " where it begins"),
                     "lower \"features\", \"extents\" or \"sequence\", or where it begins");
  }
  keep_what_stays(layer);
  layer.work = {{{0, 0, 2, 0}, {0, 1, 1, 0}, {}}};
}

}  // namespace

const Kind kSliceKind{"slice", "a part of a tensor", kAttributes, 1, 1, false, describe};

}  // namespace oracle
