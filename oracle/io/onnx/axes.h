#pragma once
// What do the axes of an ONNX tensor stand for in a layer's shape?
//
// ONNX orders axes freely and gives a meaning to none; a layer has samples, channels and positions.
// Each axis of a tensor is a product of factors, and each factor is one of these: of the windows of
// a Swin transformer, (batch · 64) x 3 x 49 x 32, the first axis is samples and positions. A
// Transpose or a Reshape of heads then only renames, as no layer's figures depend on the order in
// memory: matrix products read their operands turned as fast as straight, and copies that a
// framework makes for other operators are not priced.
//
// The samples are a factor of one axis of every tensor, wherever it is. They are as many as the
// file says; where it leaves them open, kSymbolicBatch.
//
// Worked: (channel 768, height 14, width 14) reshaped to 768x196 is (channel 768, width 196), the
// shape 768x1x196                                               tests/io/onnx/axes_test.cpp

#include <optional>
#include <vector>

#include "oracle/graph/attributes.h"
#include "oracle/graph/shape.h"
#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

/// Stands for a batch that the file leaves open. A prime, so that what arithmetic on shapes makes
/// of it is told from other extents.
inline constexpr std::int64_t kSymbolicBatch = 61;

struct Extent {
  Axis axis = Axis::channel;
  std::int64_t extent = 1;
  bool operator==(const Extent&) const = default;
};

/// One axis, the outermost factor first. Only of samples is a factor of 1 kept.
class Dim {
 public:
  Dim() = default;
  Dim(Axis axis, std::int64_t extent) { append({axis, extent}); }

  void append(const Extent& factor);
  const std::vector<Extent>& factors() const { return factors_; }

  std::int64_t extent() const { return per_sample() * samples(); }
  std::int64_t per_sample() const;
  /// 1 where they are no factor of it.
  std::int64_t samples() const;
  bool has_samples() const;
  /// Whether it is the samples and nothing else.
  bool is_samples() const { return has_samples() && per_sample() == 1; }
  /// That of its outermost factor; width where it has none, as an axis of 1 may be any.
  Axis meaning() const;
  /// Whether all but the samples is of this meaning.
  bool is(Axis axis) const;
  /// The same with another meaning of all but the samples.
  Dim as(Axis axis) const;
  bool operator==(const Dim&) const = default;

 private:
  std::vector<Extent> factors_;
};

using Axes = std::vector<Dim>;

/// (sample, channel, …) as convolutions read, of a shape with `rank` axes in ONNX.
Axes channels_first(const Shape& shape, std::size_t rank, std::int64_t samples);
/// (sample, …, channel) as matrix products read.
Axes channels_last(const Shape& shape, std::size_t rank, std::int64_t samples);

/// Whether both lie in the same order, however their axes are joined or taken apart.
bool same_order(const Axes& a, const Axes& b);

/// Extents of the axes.
Integers extents_of(const Axes& axes);

/// The shape whose factors they are.
Shape shape_of(const Axes& axes);

/// The shape as kinds read it: "features", and "extents" where the network has positions. Throws
/// MorePositions where the shape has an axis that the network lacks.
Attributes written(const Shape& shape, std::size_t spatial_rank);

/// Of a network whose input has fewer spatial axes than a layer behind it.
struct MorePositions {
  std::size_t spatial_rank = 1;  ///< that it takes
};

/// Axes with `extents` of the same elements in the same order. An axis that is taken apart passes
/// its meaning on; positions that are joined are width, and what joins channels with positions is
/// channels. Throws InputError where the samples would be taken apart.
Axes reshaped(const Axes& from, const Integers& extents);

}  // namespace oracle::onnx
