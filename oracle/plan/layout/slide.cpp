#include "oracle/plan/layout/slide.h"

namespace oracle {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

}  // namespace

Positions Slide::read_by(Positions narrow_positions) const {
  return {narrow_positions.begin * stride - pad,
          (narrow_positions.end - 1) * stride - pad + span + 1};
}

Positions Slide::touched_by(Positions wide_positions) const {
  return {ceil_div(wide_positions.begin + pad - span, stride),
          floor_div(wide_positions.end - 1 + pad, stride) + 1};
}

Slide slide_of(const Layer& layer, std::size_t axis) {
  const Window& w = layer.window;
  const std::int64_t in = layer.input[kSpatialAxes[axis]];
  const std::int64_t out = layer.output[kSpatialAxes[axis]];
  return {layer.transposed ? out : in, layer.transposed ? in : out, w.stride[axis],
          w.pad_before[axis], w.dilation[axis] * (w.kernel[axis] - 1)};
}

}  // namespace oracle
