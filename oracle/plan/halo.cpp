#include "oracle/plan/halo.h"

#include <algorithm>

namespace oracle {
namespace {

struct Range {
  std::int64_t begin, end;
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

/// What the slabs lack when slab r of `extent` needs `needed(r)`.
template <typename Needed>
Halo most_lacking(std::int64_t extent, std::int64_t degree, Needed needed) {
  Halo halo;
  std::int64_t after_last = 0, after_last_but_one = 0;  // needed by slabs r − 1 and r − 2
  for (std::int64_t r = 0; r < degree; ++r) {
    const Range need = needed(r);
    const std::int64_t begin = std::clamp<std::int64_t>(need.begin, 0, extent);
    const std::int64_t end = std::clamp<std::int64_t>(need.end, 0, extent);
    std::int64_t before = 0, after = 0;
    if (begin < end) {
      before = std::max<std::int64_t>(0, slab_begin(r, extent, degree) - begin);
      after = std::max<std::int64_t>(0, end - slab_begin(r + 1, extent, degree));
    }
    halo.before = std::max(halo.before, before);
    halo.after = std::max(halo.after, after);
    // Slab r − 1 serves both of its neighbours.
    halo.sent = std::max(halo.sent, after_last_but_one + before);
    after_last_but_one = after_last;
    after_last = after;
  }
  halo.sent = std::max(halo.sent, after_last_but_one);
  return halo;
}

/// A window that slides along `wide` positions and leaves `narrow` ones.
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

/// Wide planes that slabs of narrow ones need.
Halo gathering(const Slide& s, std::int64_t degree) {
  return most_lacking(s.wide, degree, [&](std::int64_t r) {
    const std::int64_t first = slab_begin(r, s.narrow, degree);
    const std::int64_t end = slab_begin(r + 1, s.narrow, degree);
    return Range{first * s.stride - s.pad, (end - 1) * s.stride - s.pad + s.span + 1};
  });
}

/// Narrow planes that slabs of wide ones need.
Halo spreading(const Slide& s, std::int64_t degree) {
  return most_lacking(s.narrow, degree, [&](std::int64_t r) {
    const std::int64_t first = slab_begin(r, s.wide, degree);
    const std::int64_t end = slab_begin(r + 1, s.wide, degree);
    return Range{ceil_div(first + s.pad - s.span, s.stride),
                 floor_div(end - 1 + s.pad, s.stride) + 1};
  });
}

}  // namespace

Halo forward_halo(const Layer& layer, std::size_t axis, std::int64_t degree) {
  if (layer.reach != Reach::windowed) return {};
  const Slide slide = slide_of(layer, axis);
  return layer.transposed ? spreading(slide, degree) : gathering(slide, degree);
}

Halo backward_halo(const Layer& layer, std::size_t axis, std::int64_t degree) {
  if (layer.reach != Reach::windowed) return {};
  const Slide slide = slide_of(layer, axis);
  return layer.transposed ? gathering(slide, degree) : spreading(slide, degree);
}

bool returns_gradient(const Layer& layer) {
  return layer.reach == Reach::windowed && !layer.trainable();
}

}  // namespace oracle
