#pragma once
// Which blocks of a network are alike?
//
// A block is the run of layers whose names are alike up to the first part that is a number:
// "layers.3." of "layers.3.norm1". It is like the one before it where each of its layers is of the
// same kind, asked for the same, and reads the layer as far before it (or the same one before
// both). Where blocks take turns, as those with a window and those without, so many in a row are
// compared, eight at most.
//
// Worked: GPT-3 has one run of 96 blocks of 12 layers; of gpt-oss, where each second block has a
// window, two blocks come 12 times                                 tests/graph/blocks_test.cpp

#include <string_view>
#include <vector>

#include "oracle/graph/layer.h"

namespace oracle {

struct Graph;

/// Up to the first part that is a number, with the dot behind it; empty: none is.
/// Worked: "layers.3.norm1" → "layers.3."
std::string_view block_of(std::string_view name);

/// `count` times a block, or some in a row, of `size` layers: each time like the first.
struct BlockRun {
  LayerId first = 0, size = 0, count = 0;
  LayerId end() const { return first + size * count; }
};

/// In the order of the layers.
std::vector<BlockRun> block_runs(const Graph& graph);

/// By layer of a third or later time in its run, the same one the time before, which reads the
/// same; 0 of all others. Worked: of GPT-3's 1,158 layers, 94·12 have one.
std::vector<LayerId> layers_alike(const Graph& graph);

/// Writes down what a graph's layers say of its blocks.
void find_blocks(Graph& graph);

}  // namespace oracle
