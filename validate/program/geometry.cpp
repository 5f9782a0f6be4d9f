#include "validate/program/geometry.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/plan/slide.h"

namespace oracle {

Fit gathering_fit(const Layer& layer, std::size_t axis, Interval narrow, Interval held) {
  const Slide s = slide_of(layer, axis);
  const Positions read = s.read_by({narrow.begin, narrow.end});
  Fit fit;
  fit.narrow = narrow;
  fit.wide = {std::max<std::int64_t>(read.begin, 0), std::min(read.end, s.wide)};
  fit.wide.end = std::max(fit.wide.end, held.end);
  fit.pad_before = std::max<std::int64_t>(-read.begin, 0);
  fit.pad_after = std::max<std::int64_t>(read.end - s.wide, 0);
  return fit;
}

Fit spreading_fit(const Layer& layer, std::size_t axis, Interval wide) {
  const Slide s = slide_of(layer, axis);
  const Positions touched = s.touched_by({wide.begin, wide.end});
  Fit fit;
  fit.narrow = {std::max<std::int64_t>(touched.begin, 0), std::min(touched.end, s.narrow)};
  if (fit.narrow.size() <= 0) {
    throw InputError("layer " + layer.name,
                     "a rank's slab lies where no window reaches, which no kernel runs",
                     "cut that axis into fewer slabs");
  }
  const Positions covered = s.read_by({fit.narrow.begin, fit.narrow.end});
  fit.wide = {std::max(wide.begin, covered.begin), wide.end};
  fit.pad_before = fit.wide.begin - covered.begin;
  fit.pad_after = std::max<std::int64_t>(covered.end - fit.wide.end, 0);
  return fit;
}

}  // namespace oracle
