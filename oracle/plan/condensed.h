#pragma once
// What need not be planned twice of a network whose blocks are alike?
//
// Of a run of eight blocks or more that are alike, or take turns (graph/blocks.h), the first three
// and the last are kept: the others are planned and priced as the third is.
//
// Worked: of GPT-3's 96 blocks four are kept, of 1,158 layers 54
//                                                            tests/plan/condensed_test.cpp

#include <optional>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/plan.h"

namespace oracle {

struct Condensed {
  Graph graph;
  std::vector<LayerId> of;          ///< by layer of the whole network, the one that stands for it
  std::vector<std::int64_t> times;  ///< by layer that is kept, how many it stands for

  /// Figures by layer that is kept, by layer of the whole network.
  template <typename Figure>
  std::vector<Figure> expand(const std::vector<Figure>& kept) const {
    std::vector<Figure> all(of.size());
    for (std::size_t id = 0; id < of.size(); ++id) all[id] = kept[of[id]];
    return all;
  }
};

/// Nothing where all blocks are to be kept.
std::optional<Condensed> condense(const Graph& graph);

/// Whether the strategy treats alike blocks alike, since it names none of them: "*.q" is in each.
bool names_no_blocks(const Strategy& strategy);

/// Whether the blocks on both sides of what was left out are planned alike. `plan`: of the
/// condensed network.
bool is_planned_alike(const Condensed& condensed, const Plan& plan);

}  // namespace oracle
