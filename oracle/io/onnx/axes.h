#pragma once
// What do the axes of an ONNX tensor stand for in a layer's shape?
//
// ONNX orders axes freely and gives a meaning to none; a layer has samples, channels and positions.
// Each axis of a tensor is a factor of one of these: batch x 196 x 12 x 64 is (sample, width,
// channel, channel), 768 channels at 196 positions. A Transpose or a Reshape of heads then only
// renames, as no layer's figures depend on the order in memory: matrix products read their operands
// turned as fast as straight, and copies that a framework makes for other operators are not priced.
//
// Worked: (channel 768, height 14, width 14) reshaped to 768x196 is (channel 768, width 196), the
// shape 768x1x196                                               tests/io/onnx/axes_test.cpp

#include <optional>
#include <vector>

#include "oracle/graph/attributes.h"
#include "oracle/graph/shape.h"
#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

struct Extent {
  Axis axis = Axis::channel;
  std::int64_t extent = 1;  ///< 1 for the samples
  bool operator==(const Extent&) const = default;
};
using Axes = std::vector<Extent>;

/// (sample, channel, …) as convolutions read, of a shape with `rank` axes in ONNX.
Axes channels_first(const Shape& shape, std::size_t rank);
/// (sample, …, channel) as matrix products read.
Axes channels_last(const Shape& shape, std::size_t rank);

/// The shape whose factors they are.
Shape shape_of(const Axes& axes);

/// The shape as kinds read it: "features", and "extents" where the network has positions.
Attributes written(const Shape& shape, std::size_t spatial_rank);

/// Whether the two mean the same, but for axes of extent 1.
bool same_meaning(const Axes& a, const Axes& b);

/// Axes with `extents` of the same elements in the same order, the samples first in both. An axis
/// that is cut up passes its meaning on; positions that are joined are width, and what joins
/// channels with positions is channels.
Axes reshaped(const Axes& from, const Integers& extents);

}  // namespace oracle::onnx
