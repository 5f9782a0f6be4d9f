// What does resampling to another size compute and touch?
//
// Forward reads x and writes y: the nearest value is copied, a linear one mixes two neighbours per
// axis, 2^axes products and sums. Backward reads dy and writes dx, with a sum for each output, or
// the same products. Nothing is kept. Positions are compared by their middles, half a position from
// the edges ("half_pixel" of ONNX); of two that are equally near the later is taken.
//
// The nearest value, made wider by a whole factor, is a transposed window of that factor:
// neighbours need nothing of each other. Anything else is not cut along positions.
//
// Worked: 64x14x14 → 64x28x28, linear: 8 operations per output   tests/graph/kinds/resize_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/output_shape.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"mode", "nearest or linear; nearest"},
    {"extents", "output size: one number, or one per spatial axis"},
};

/// The factors by which a whole widening makes it wider; the identity window where it is no such.
Window widening(const Shape& input, const Shape& output) {
  Window window;
  for (std::size_t axis = 0; axis < kSpatialAxes.size(); ++axis) {
    const std::int64_t in = input[kSpatialAxes[axis]], out = output[kSpatialAxes[axis]];
    if (out % in != 0) return {};
    window.kernel[axis] = window.stride[axis] = out / in;
  }
  return window;
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const bool linear = attributes.choice("mode", {"nearest", "linear"}) == 1;
  layer.variant = linear ? "linear" : "nearest";
  if (attributes.find("extents") == nullptr) {
    throw InputError("", "\"extents\" is missing", "add it, one number or one per spatial axis");
  }
  layer.output = read_output(layer, attributes);
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::whole;
  if (layer.output == layer.input) {
    layer.reach = Reach::pointwise;
    layer.in_place = true;
    return;
  }
  if (const Window window = widening(layer.input, layer.output); !linear && window != Window{}) {
    layer.window = window;
    layer.transposed = true;
    layer.reach = Reach::windowed;
  }
  const double products =
      linear ? 2 * static_cast<double>(std::size_t{1} << layer.spatial_rank) : 0;
  layer.work = {{{products, 1, 1, 0}, {linear ? products : 1, 1, 1, 0}, {}}};
}

}  // namespace

const Kind kResizeKind{"resize", "resampling to another size", kAttributes, 1, 1, false, describe};

}  // namespace oracle
