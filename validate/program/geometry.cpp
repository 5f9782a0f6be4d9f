#include "validate/program/geometry.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {
namespace {

struct Slide {
  std::int64_t wide, narrow, stride, pad, span;
};

Slide slide_of(const Layer& layer, std::size_t axis) {
  const Window& w = layer.window;
  const std::int64_t in = layer.input[kSpatialAxes[axis]];
  const std::int64_t out = layer.output[kSpatialAxes[axis]];
  return {layer.transposed ? out : in, layer.transposed ? in : out, w.stride[axis],
          w.pad_before[axis], w.dilation[axis] * (w.kernel[axis] - 1)};
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

}  // namespace

Fit gathering_fit(const Layer& layer, std::size_t axis, Interval narrow, Interval held) {
  const Slide s = slide_of(layer, axis);
  const std::int64_t begin = narrow.begin * s.stride - s.pad;
  const std::int64_t end = (narrow.end - 1) * s.stride - s.pad + s.span + 1;
  Fit fit;
  fit.narrow = narrow;
  fit.wide = {std::max<std::int64_t>(begin, 0), std::min(end, s.wide)};
  fit.wide.end = std::max(fit.wide.end, held.end);
  fit.pad_before = std::max<std::int64_t>(-begin, 0);
  fit.pad_after = std::max<std::int64_t>(end - s.wide, 0);
  return fit;
}

Fit spreading_fit(const Layer& layer, std::size_t axis, Interval wide) {
  const Slide s = slide_of(layer, axis);
  Fit fit;
  fit.narrow = {std::max<std::int64_t>(ceil_div(wide.begin + s.pad - s.span, s.stride), 0),
                std::min(floor_div(wide.end - 1 + s.pad, s.stride) + 1, s.narrow)};
  if (fit.narrow.size() <= 0) {
    throw InputError("layer " + layer.name,
                     "a rank's slab lies where no window reaches, which no kernel runs",
                     "cut that axis into fewer slabs");
  }
  const std::int64_t first = fit.narrow.begin * s.stride - s.pad;
  fit.wide = {std::max(wide.begin, first), wide.end};
  fit.pad_before = fit.wide.begin - first;
  fit.pad_after = std::max<std::int64_t>(
      (fit.narrow.end - 1) * s.stride - s.pad + s.span + 1 - fit.wide.end, 0);
  return fit;
}

}  // namespace oracle
