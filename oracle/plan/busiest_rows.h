#pragma once
// How many rows of tokens has the rank with the busiest experts?
//
// All ranks run one plan, whose sizes are those of the rank with most. Where rows lie between
// experts (State::expert), that one has
//
//   ⌈rows · busiest_share / other parts⌉   in place of   ⌈rows / parts⌉
//
// and so have its tensors, its products and what it is sent and sends back. Experts with a capacity
// have as many rows as that, whatever is sent: what is more is dropped, what is less filled up.
//
// Worked: 32 rows of 4 experts on 4 ranks under zipf:1: 32 · 12/25 → 16 rows, not 8
//                                                              tests/plan/busiest_rows_test.cpp

#include <cstdint>
#include <span>

#include "oracle/graph/graph.h"
#include "oracle/plan/layout/layout.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {

/// The layer that made rows of tokens, of which those of `rows` are; the input: none did.
LayerId dispatch_of(const Graph& graph, LayerId rows);

/// Of a rank: as an even cut gives them, and as the busiest has them.
struct RowsHeld {
  std::int64_t even = 1, most = 1;

  /// What is proportional to the rows.
  double of(double even_amount) const {
    return even_amount / static_cast<double>(even) * static_cast<double>(most);
  }
};

/// Of the output of layer `rows` in `layout`; alike where it has no rows between experts, or an
/// even load. Throws InputError as busiest_share does.
RowsHeld uneven_rows(const Graph& graph, const Strategy& strategy,
                     std::span<const std::int64_t> degrees, LayerId rows, const Layout& layout);
inline RowsHeld rows_held(const Graph& graph, const Strategy& strategy,
                          std::span<const std::int64_t> degrees, LayerId rows,
                          const Layout& layout) {
  if (strategy.expert_load.is_even()) return {};
  return uneven_rows(graph, strategy, degrees, rows, layout);
}

/// What a member sends between two layouts is as unequal as in that of more parts.
RowsHeld rows_moved(const Graph& graph, const Strategy& strategy,
                    std::span<const std::int64_t> degrees, LayerId rows, const Layout& from,
                    const Layout& to);

}  // namespace oracle
