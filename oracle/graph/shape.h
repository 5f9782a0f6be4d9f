#pragma once
// Along which named axes does a tensor extend?
//
// A shape is per sample: the batch stays symbolic, so the extent of `Axis::sample` is always 1.
// An axis that a tensor lacks has extent 1. Tensors are channel-major (C, then D, H, W), so
// flattening keeps the channels of a shard together.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oracle {

enum class Axis : std::uint8_t { sample, channel, depth, height, width, sequence };
inline constexpr std::size_t kAxisCount = 6;
inline constexpr std::array<Axis, kAxisCount> kAxes = {Axis::sample, Axis::channel, Axis::depth,
                                                       Axis::height, Axis::width,   Axis::sequence};
inline constexpr std::array<Axis, 3> kSpatialAxes = {Axis::depth, Axis::height, Axis::width};

std::string_view name_of(Axis axis);

/// Extents per sample.
struct Shape {
  std::array<std::int64_t, kAxisCount> extent{1, 1, 1, 1, 1, 1};

  std::int64_t& operator[](Axis axis) { return extent[static_cast<std::size_t>(axis)]; }
  std::int64_t operator[](Axis axis) const { return extent[static_cast<std::size_t>(axis)]; }
  bool operator==(const Shape&) const = default;

  std::int64_t channels() const { return (*this)[Axis::channel]; }
  /// depth · height · width · sequence
  std::int64_t positions() const {
    return (*this)[Axis::depth] * (*this)[Axis::height] * (*this)[Axis::width] *
           (*this)[Axis::sequence];
  }
  /// Elements per sample.
  std::int64_t elements() const { return channels() * positions(); }
};

/// `64x112x112`: channels, then the axes longer than 1 (a flat tensor is just `4096`).
///                                                                       tests/graph/shape_test.cpp
std::string to_text(const Shape& shape);

}  // namespace oracle
