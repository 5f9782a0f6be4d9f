#include "oracle/io/onnx/axes.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/graph/limits.h"

namespace oracle::onnx {
namespace {

using Factors = std::vector<Extent>;

/// What a run of factors becomes when it is joined.
Axis joined(Factors::const_iterator begin, Factors::const_iterator end) {
  Axis meaning = Axis::sample;
  for (auto each = begin; each != end; ++each) {
    if (each->axis == Axis::sample) continue;
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

std::int64_t product_of(Factors::const_iterator begin, Factors::const_iterator end) {
  std::int64_t product = 1;
  for (auto each = begin; each != end; ++each) product *= each->extent;
  return product;
}

/// Gives the factors of a run to the axes from `first` on, which have as many elements.
void share_out(Factors::const_iterator begin, Factors::const_iterator end, const Integers& extents,
               std::size_t first, std::size_t last, Axes& axes) {
  const auto samples =
      std::find_if(begin, end, [](const Extent& each) { return each.axis == Axis::sample; });
  if (samples == end) {
    const Axis meaning = joined(begin, end);
    for (std::size_t i = first; i < last; ++i) axes.emplace_back(meaning, extents[i]);
    return;
  }
  const Axis outer = joined(begin, samples), inner = joined(samples + 1, end);
  std::int64_t left = product_of(begin, samples);
  bool placed = false;
  for (std::size_t i = first; i < last; ++i) {
    const std::int64_t extent = extents[i];
    const bool holds = !placed && extent % left == 0 && extent / left % samples->extent == 0;
    if (!holds) {
      if (!placed && left % extent != 0) {
        throw InputError("", "it takes the batch apart, or joins a part of it with other axes",
                         "export the network with the batch as an axis of its own");
      }
      axes.emplace_back(placed ? inner : outer, extent);
      if (!placed) left /= extent;
      continue;
    }
    Dim dim(outer, left);
    dim.append(*samples);
    dim.append({inner, extent / left / samples->extent});
    axes.push_back(dim);
    placed = true;
  }
  ensure(placed, "a reshape that loses the samples");
}

}  // namespace

void Dim::append(const Extent& factor) {
  if (factor.extent == 1 && factor.axis != Axis::sample) return;
  if (!factors_.empty() && factors_.back().axis == factor.axis) {
    factors_.back().extent *= factor.extent;
  } else {
    factors_.push_back(factor);
  }
}

std::int64_t Dim::per_sample() const {
  std::int64_t product = 1;
  for (const Extent& each : factors_) product *= each.axis == Axis::sample ? 1 : each.extent;
  return product;
}

std::int64_t Dim::samples() const {
  std::int64_t product = 1;
  for (const Extent& each : factors_) product *= each.axis == Axis::sample ? each.extent : 1;
  return product;
}

bool Dim::has_samples() const {
  return std::any_of(factors_.begin(), factors_.end(),
                     [](const Extent& each) { return each.axis == Axis::sample; });
}

Axis Dim::meaning() const { return factors_.empty() ? Axis::width : factors_.front().axis; }

bool Dim::is(Axis axis) const {
  return std::all_of(factors_.begin(), factors_.end(), [axis](const Extent& each) {
    return each.axis == axis || each.axis == Axis::sample;
  });
}

Dim Dim::as(Axis axis) const {
  Dim turned;
  for (const Extent& each : factors_) {
    turned.append(each.axis == Axis::sample ? each : Extent{axis, each.extent});
  }
  return turned;
}

Axes channels_first(const Shape& shape, std::size_t rank, std::int64_t samples) {
  Axes axes = {{Axis::sample, samples}};
  if (rank >= 2) axes.emplace_back(Axis::channel, shape.channels());
  for (std::size_t i = 2; i < rank; ++i) {
    const Axis axis = kSpatialAxes[kSpatialAxes.size() + i - rank];
    axes.emplace_back(axis, shape[axis]);
  }
  return axes;
}

Axes channels_last(const Shape& shape, std::size_t rank, std::int64_t samples) {
  Axes axes = channels_first(shape, rank, samples);
  if (rank > 2) std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
  return axes;
}

bool same_order(const Axes& a, const Axes& b) {
  const auto joined_up = [](const Axes& axes) {
    Dim all;
    for (const Dim& dim : axes) {
      for (const Extent& factor : dim.factors()) all.append(factor);
    }
    return all;
  };
  return joined_up(a) == joined_up(b);
}

Integers extents_of(const Axes& axes) {
  Integers extents;
  for (const Dim& dim : axes) extents.push_back(dim.extent());
  return extents;
}

Shape shape_of(const Axes& axes) {
  Shape shape;
  for (const Dim& dim : axes) {
    for (const Extent& each : dim.factors()) {
      if (each.axis == Axis::sample) continue;
      shape[each.axis] = bounded_product({shape[each.axis], each.extent}, "its output");
    }
  }
  return shape;
}

Attributes written(const Shape& shape, std::size_t spatial_rank) {
  Attributes attributes{{"features", shape.channels()}};
  Integers extents;
  for (std::size_t i = 0; i < kSpatialAxes.size(); ++i) {
    const std::size_t needed = kSpatialAxes.size() - i;
    const std::int64_t extent = shape[kSpatialAxes[i]];
    if (needed <= spatial_rank) {
      extents.push_back(extent);
    } else if (extent > 1) {
      throw MorePositions{needed};
    }
  }
  if (!extents.empty()) attributes.set("extents", extents);
  return attributes;
}

Axes reshaped(const Axes& from, const Integers& extents) {
  Factors factors;
  for (const Dim& dim : from) {
    factors.insert(factors.end(), dim.factors().begin(), dim.factors().end());
  }
  Axes axes;
  auto read = factors.cbegin();
  const auto is_one_sample = [&] {
    return read != factors.cend() && *read == Extent{Axis::sample, 1};
  };
  for (std::size_t made = 0; made < extents.size();) {
    const auto begin = read;
    const std::size_t first = made;
    std::int64_t in = 1, out = extents[made++];
    if (out == 1 && is_one_sample()) in = (read++)->extent;
    while (in != out) {
      if (in < out) {
        ensure(read != factors.cend(), "a reshape that does not keep the elements");
        in = bounded_product({in, (read++)->extent}, "its output");
      } else {
        ensure(made < extents.size(), "a reshape that does not keep the elements");
        out = bounded_product({out, extents[made++]}, "its output");
      }
    }
    // Of a single sample between two axes, one that stays whole is not a part.
    const bool apart = begin != read && *begin == Extent{Axis::sample, 1} && begin + 1 != read;
    if (apart && made == first + 1 && !axes.empty()) {
      axes.back().append(*begin);
      share_out(begin + 1, read, extents, first, made, axes);
      continue;
    }
    share_out(begin, read, extents, first, made, axes);
  }
  // A single sample behind the last axis.
  for (; read != factors.cend() && !axes.empty(); ++read) axes.back().append(*read);
  return axes;
}

}  // namespace oracle::onnx
