#pragma once
// Builds one layer on an input, for tests of the kinds.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/graph/graph.h"

namespace oracle {

/// `extents` are the last spatial axes: {224, 224} is a height and a width.
inline Shape shape_of(std::int64_t channels, const std::vector<std::int64_t>& extents = {}) {
  Shape shape;
  shape[Axis::channel] = channels;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    shape[kSpatialAxes[kSpatialAxes.size() - extents.size() + i]] = extents[i];
  }
  return shape;
}

inline Layer one_layer(std::string_view kind, const Shape& input, const Attributes& attributes = {},
                       std::optional<std::size_t> rank = {}) {
  GraphBuilder builder("one");
  const LayerId read = builder.input(input, rank);
  return builder.so_far()[builder.add("layer", kind, {read}, attributes)];
}

/// What the builder says about it; empty where it accepts it.
inline std::string refusal(std::string_view kind, const Shape& input,
                           const Attributes& attributes = {}) {
  try {
    one_layer(kind, input, attributes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace oracle
