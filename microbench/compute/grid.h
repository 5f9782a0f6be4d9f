#pragma once
// Which shapes tell most about a device in a given time?
//
// For each kind a table row says between which extents networks use it, and how many shapes are
// wanted. Shapes are drawn from it by a Halton sequence (Halton, Numerische Mathematik 2, 1960),
// which covers the space evenly however many are taken. What no network has (many channels on large
// maps) and what takes too long is skipped. Samples are drawn likewise, whatever the extents: all
// layers of a network have the same number of them. Channels go down to what is left of a layer cut
// over many ranks, extents to one position.
//
// Worked: the quick grid has about 295 layers, none of more than 1.5 GFLOP
//                                                    tests/microbench/compute/grid_test.cpp

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "oracle/graph/layer_case.h"

namespace oracle {

enum class GridSize : unsigned char { quick, full };

/// One kind of layer, as the grid draws it. Lists are of choices with equal chances.
struct GridRow {
  std::string_view kind;
  std::string_view attributes;   ///< the same for all shapes: "function=relu"
  int quick = 0, full = 0;       ///< how many shapes
  std::size_t spatial_rank = 2;  ///< 0: extents are tokens of a text
  std::int64_t least_channels = 1, most_channels = 1;
  std::int64_t least_extent = 1, most_extent = 1;
  std::int64_t most_samples = 32;
  std::span<const std::int64_t> kernels{};  ///< of a window
  int inputs = 1;
  enum class Grouping : unsigned char { none, depthwise, grouped } grouping = Grouping::none;
  std::int64_t most_features = 0;  ///< of a convolution; 0: as channels
};

std::span<const GridRow> grid_rows();

/// The layers of a grid, each once, in no order that matters.
std::vector<LayerCase> grid(GridSize size);

}  // namespace oracle
