#include "oracle/io/onnx/axes.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle::onnx {
namespace {

/// What a run of axes becomes when it is joined and cut up again.
Axis joined(Axes::const_iterator begin, Axes::const_iterator end) {
  Axis meaning = Axis::sample;
  for (auto each = begin; each != end; ++each) {
    if (each->extent == 1) continue;
    if (meaning == Axis::sample || meaning == each->axis) {
      meaning = each->axis;
    } else if (meaning == Axis::channel || each->axis == Axis::channel) {
      return Axis::channel;
    } else {
      meaning = Axis::width;
    }
  }
  return meaning == Axis::sample ? Axis::channel : meaning;
}

}  // namespace

Axes channels_first(const Shape& shape, std::size_t rank) {
  Axes axes = {{Axis::sample, 1}};
  if (rank >= 2) axes.push_back({Axis::channel, shape.channels()});
  for (std::size_t i = 2; i < rank; ++i) {
    const Axis axis = kSpatialAxes[kSpatialAxes.size() + i - rank];
    axes.push_back({axis, shape[axis]});
  }
  return axes;
}

Axes channels_last(const Shape& shape, std::size_t rank) {
  Axes axes = channels_first(shape, rank);
  if (rank > 2) std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
  return axes;
}

Shape shape_of(const Axes& axes) {
  Shape shape;
  for (const Extent& each : axes) shape[each.axis] *= each.extent;
  shape[Axis::sample] = 1;
  return shape;
}

Attributes written(const Shape& shape, std::size_t spatial_rank) {
  Attributes attributes{{"features", shape.channels()}};
  Integers extents;
  for (std::size_t i = kSpatialAxes.size() - spatial_rank; i < kSpatialAxes.size(); ++i) {
    extents.push_back(shape[kSpatialAxes[i]]);
  }
  if (!extents.empty()) attributes.set("extents", extents);
  return attributes;
}

bool same_meaning(const Axes& a, const Axes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Extent& x, const Extent& y) {
    return x == y ||
           (x.extent == 1 && y.extent == 1 && (x.axis == Axis::sample) == (y.axis == Axis::sample));
  });
}

Axes reshaped(const Axes& from, const Integers& extents) {
  Axes axes = {{Axis::sample, 1}};
  auto read = from.begin() + 1;
  for (std::size_t made = 0; made < extents.size();) {
    const auto begin = read;
    const std::size_t first = made;
    std::int64_t in = 1, out = extents[made++];
    while (in != out) {
      if (in < out) {
        ensure(read != from.end(), "a reshape that does not keep the elements");
        in *= (read++)->extent;
      } else {
        ensure(made < extents.size(), "a reshape that does not keep the elements");
        out *= extents[made++];
      }
    }
    const Axis meaning = joined(begin, read);
    for (std::size_t i = first; i < made; ++i) axes.push_back({meaning, extents[i]});
  }
  return axes;
}

}  // namespace oracle::onnx
