#pragma once
// Which layers does backward compute again, instead of forward keeping what they made?
//
// A segment is a set of layers of one block that are computed again together, just before backward
// reaches the last of them, from what the layers before them made, which is kept, as is what they
// hand on to layers that are not of the segment. Layers of no block (graph/blocks.h) are kept.
//
//   recompute=full        every layer of a block (Chen et al., arXiv 1604.06174)
//   recompute=selective   products of two tensors, softmax and its dropout: attention written out
//                         (Korthikanti et al., arXiv 2205.05198, section 5); nothing where
//                         attention is one kernel
//   recompute=PATTERN     layers whose names match, as in a rule: "layers.0.*|layers.1.*", "*.act"
//   recompute=except:PATTERN  every layer of a block, but what those make that match is kept, and
//                         what they read is not: PyTorch's selective checkpoints save what
//                         operators make so, and Megatron-Core discards outputs of norms so
//
// What backward does not read is not computed again, such as a block's last product; frameworks
// whose checkpoints run a function again do so with recompute=full (Framework).
//
// Worked: of gpt_tiny's two blocks, full: two segments of 12 layers each
//                                                             tests/plan/recompute_test.cpp

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/graph/graph.h"

namespace oracle {

struct LayerSpan {
  LayerId first = 0, last = 0;  ///< of its layers, which need not be all between
};

struct Recomputation {
  std::vector<std::uint32_t> segment_of;  ///< by layer, from 1; 0: is kept. Empty: all are
  std::vector<LayerSpan> segments;
  std::vector<bool> kept;  ///< by layer, those of a segment whose output is kept; empty: none
  bool whole = false;      ///< also what backward does not read

  bool covers(LayerId id) const { return id < segment_of.size() && segment_of[id] != 0; }
  /// Whether backward has of a layer it covers what forward made.
  bool keeps(LayerId id) const { return id < kept.size() && kept[id]; }
  const LayerSpan& of(LayerId id) const { return segments[segment_of[id] - 1]; }
};

/// Whether there is a layer that can be computed again.
bool has_blocks(const Graph& graph);

/// `what`: the option's value; empty is none. Throws InputError where nothing matches.
Recomputation recomputation(const Graph& graph, std::string_view what);

}  // namespace oracle
