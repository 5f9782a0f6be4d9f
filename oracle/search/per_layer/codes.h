#pragma once
// How is a layout written as one small number, so that tables can be indexed by it?
//
// Over each mesh axis a tensor has one of the states that the network can have (depth only where
// its input has a depth): a layout is a number with one digit per axis.
//
// Worked: two axes, an image: states replicated, partial, sample, channel, height, width; the
// layout (sample, channel) is 2 + 6·3 = 20               tests/search/per_layer/codes_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "oracle/plan/layout/layout.h"

namespace oracle::per_layer {

using Code = std::uint16_t;

/// More axes make more layouts than a table should have.
inline constexpr std::size_t kMostAxes = 3;

class Codes {
 public:
  /// For a network whose input has this shape, on a mesh of so many axes.
  Codes(const Shape& input, std::size_t axes);

  std::size_t size() const { return layouts_.size(); }
  Code encode(const Layout& layout) const;
  const Layout& decode(Code code) const { return layouts_[code]; }
  State state(Code code, std::size_t axis) const { return layouts_[code][axis]; }

  /// What reaches a layer of several inputs: over each axis the first sharded state, else a partial
  /// sum.
  Code join(Code first, Code second) const { return joined_[first * size() + second]; }

 private:
  void tabulate_joins();

  std::size_t axes_;
  std::vector<State> states_;
  std::array<std::uint8_t, kStateCount> digit_{};
  std::vector<Layout> layouts_;
  std::vector<Code> joined_;
};

}  // namespace oracle::per_layer
