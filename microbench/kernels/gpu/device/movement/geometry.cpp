#include "microbench/kernels/gpu/device/movement/geometry.h"

#include <algorithm>

namespace oracle::gpu {
namespace {

/// One axis: extents of what cuDNN slides over, and the piece's share of it.
struct Span {
  std::int64_t wide = 0, part_begin = 0, part_size = 0, place = 0;
  int pad = 0;
  bool whole = true;
};

Span span_of(const Window& window, std::size_t axis, std::int64_t extent, std::int64_t steps) {
  const std::int64_t stride = window.stride[axis];
  const std::int64_t before = window.pad_before[axis];
  const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
  const std::int64_t room = extent + 2 * before - reach;
  if (before >= 0 && before < reach && room >= 0 && room / stride + 1 == steps) {
    return {extent, 0, extent, 0, static_cast<int>(before), true};
  }
  Span span;
  span.whole = false;
  span.wide = (steps - 1) * stride + reach;
  span.part_begin = std::min(extent, std::max<std::int64_t>(0, -before));
  const std::int64_t end = std::clamp(span.wide - before, span.part_begin, extent);
  span.part_size = end - span.part_begin;
  span.place = span.part_begin + before;
  return span;
}

}  // namespace

Geometry slide_over(const LocalLayer& layer, const Extents& over, const Extents& steps) {
  const std::array extents = {over.depth, over.height, over.width};
  const std::array counts = {steps.depth, steps.height, steps.width};
  Geometry geometry;
  geometry.rank = layer.layer->spatial_rank > 2 ? 3 : 2;
  geometry.wide = geometry.part.size = over;
  geometry.place = Extents{0, 0, 0, 0, 0};
  const std::array wide = {&geometry.wide.depth, &geometry.wide.height, &geometry.wide.width};
  const std::array begin = {&geometry.part.begin.depth, &geometry.part.begin.height,
                            &geometry.part.begin.width};
  const std::array size = {&geometry.part.size.depth, &geometry.part.size.height,
                           &geometry.part.size.width};
  const std::array place = {&geometry.place.depth, &geometry.place.height, &geometry.place.width};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Span span = span_of(layer.window, axis, extents[axis], counts[axis]);
    *wide[axis] = span.wide;
    *begin[axis] = span.part_begin;
    *size[axis] = span.part_size;
    *place[axis] = span.place;
    geometry.pad[axis] = span.pad;
    geometry.stride[axis] = static_cast<int>(layer.window.stride[axis]);
    geometry.dilation[axis] = static_cast<int>(layer.window.dilation[axis]);
    geometry.kernel[axis] = static_cast<int>(layer.window.kernel[axis]);
    geometry.whole = geometry.whole && span.whole;
  }
  return geometry;
}

}  // namespace oracle::gpu
