#include "microbench/kernels/cpu/sliding.h"

#include <algorithm>
#include <array>

#include "microbench/kernels/cpu/format.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

struct Span {
  std::int64_t begin = 0;
  std::int64_t size = 0;
  std::int64_t pad_before = 0;
  std::int64_t pad_after = 0;
};

Span span_of(const Window& window, std::size_t axis, std::int64_t extent, std::int64_t steps) {
  const std::int64_t stride = window.stride[axis];
  const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
  Span span;
  span.begin = std::max<std::int64_t>(0, -window.pad_before[axis]);
  span.pad_before = std::max<std::int64_t>(0, window.pad_before[axis]);
  const std::int64_t needed = (steps - 1) * stride + reach - span.pad_before;
  span.size = extent - span.begin;
  if (needed <= span.size - stride) span.size = needed;
  ensure(span.size > 0, "a piece's windows read none of it");
  span.pad_after = needed - span.size;
  return span;
}

}  // namespace

Sliding slide_over(const LocalLayer& layer, const Extents& over, const Extents& steps) {
  const std::array extents = {over.depth, over.height, over.width};
  const std::array counts = {steps.depth, steps.height, steps.width};
  const std::size_t rank = rank_of(*layer.layer);
  const Window& window = layer.window;
  Sliding sliding;
  sliding.part.size = over;
  const std::array begins = {&sliding.part.begin.depth, &sliding.part.begin.height,
                             &sliding.part.begin.width};
  const std::array sizes = {&sliding.part.size.depth, &sliding.part.size.height,
                            &sliding.part.size.width};
  for (std::size_t axis = 3 - rank; axis < 3; ++axis) {
    const Span span = span_of(window, axis, extents[axis], counts[axis]);
    *begins[axis] = span.begin;
    *sizes[axis] = span.size;
    sliding.kernel.push_back(window.kernel[axis]);
    sliding.stride.push_back(window.stride[axis]);
    sliding.dilation.push_back(window.dilation[axis] - 1);
    sliding.pad_before.push_back(span.pad_before);
    sliding.pad_after.push_back(span.pad_after);
  }
  sliding.whole = sliding.part.size == over;
  return sliding;
}

}  // namespace oracle
