#pragma once
// Builds one layer on several inputs, as slices of one, for tests of the kinds.

#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/graph/graph.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {

/// A text of so many features a token.
inline Shape text_of(std::int64_t channels, std::int64_t tokens) {
  Shape shape;
  shape[Axis::channel] = channels;
  shape[Axis::sequence] = tokens;
  return shape;
}

/// As its kind describes it.
inline Layer layer_on(std::string_view kind, const std::vector<Shape>& inputs,
                      const Attributes& attributes = {}) {
  Layer layer;
  layer.kind = &require_kind(kind);
  layer.input = inputs.front();
  layer.spatial_rank = 0;
  layer.kind->describe(layer, attributes, inputs);
  return layer;
}

/// What the kind says about it; empty where it accepts it.
inline std::string refusal_on(std::string_view kind, const std::vector<Shape>& inputs,
                              const Attributes& attributes = {}) {
  try {
    layer_on(kind, inputs, attributes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace oracle
