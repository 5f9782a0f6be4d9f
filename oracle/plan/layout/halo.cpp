#include "oracle/plan/layout/halo.h"

#include <algorithm>

#include "oracle/plan/layout/slide.h"

namespace oracle {
namespace {

Positions slab(std::int64_t r, std::int64_t extent, std::int64_t degree) {
  return {slab_begin(r, extent, degree), slab_begin(r + 1, extent, degree)};
}

/// What the slabs lack when slab r of `extent` needs `needed(r)`.
template <typename Needed>
Halo most_lacking(std::int64_t extent, std::int64_t degree, Needed needed) {
  Halo halo;
  std::int64_t after_last = 0, after_last_but_one = 0;  // needed by slabs r − 1 and r − 2
  for (std::int64_t r = 0; r < degree; ++r) {
    const Positions need = needed(r);
    const Positions own = slab(r, extent, degree);
    const std::int64_t begin = std::clamp<std::int64_t>(need.begin, 0, extent);
    const std::int64_t end = std::clamp<std::int64_t>(need.end, 0, extent);
    std::int64_t before = 0, after = 0;
    if (begin < end) {
      before = std::max<std::int64_t>(0, own.begin - begin);
      after = std::max<std::int64_t>(0, end - own.end);
    }
    halo.before = std::max(halo.before, before);
    halo.after = std::max(halo.after, after);
    halo.returned = std::max(halo.returned, before + after);
    halo.held = std::max(halo.held, own.end - own.begin + before + after);
    // Slab r − 1 serves both of its neighbours.
    halo.sent = std::max(halo.sent, after_last_but_one + before);
    after_last_but_one = after_last;
    after_last = after;
  }
  halo.sent = std::max(halo.sent, after_last_but_one);
  return halo;
}

/// Wide planes that slabs of narrow ones need.
Halo gathering(const Slide& s, std::int64_t degree) {
  return most_lacking(s.wide, degree,
                      [&](std::int64_t r) { return s.read_by(slab(r, s.narrow, degree)); });
}

/// Narrow planes that slabs of wide ones need.
Halo spreading(const Slide& s, std::int64_t degree) {
  return most_lacking(s.narrow, degree,
                      [&](std::int64_t r) { return s.touched_by(slab(r, s.wide, degree)); });
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
