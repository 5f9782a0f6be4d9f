#include "oracle/plan/busiest_rows.h"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

/// Of what is a whole number but for rounding.
constexpr double kRounding = 1e-9;

}  // namespace

LayerId dispatch_of(const Graph& graph, LayerId rows) {
  while (rows != 0 && graph[rows].routed != Routed::dispatch) {
    if (graph[rows].routed == Routed::combine) return 0;
    rows = graph[rows].inputs.front();
  }
  return rows;
}

RowsHeld uneven_rows(const Graph& graph, const Strategy& strategy,
                     std::span<const std::int64_t> degrees, LayerId rows, const Layout& layout) {
  std::int64_t groups = 1, others = 1;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (layout[a] == State::expert) groups *= degrees[a];
    if (layout[a] == State::sequence) others *= degrees[a];
  }
  const LayerId dispatch = groups > 1 ? dispatch_of(graph, rows) : LayerId{0};
  if (dispatch == 0 || graph[dispatch].has_capacity) return {};
  const std::int64_t all = graph[dispatch].output[Axis::sequence];
  const std::int64_t experts = graph[graph[dispatch].inputs[1]].output.channels();
  const double share =
      busiest_share(strategy.expert_load, experts, groups, graph[dispatch].per_token);
  const double most = static_cast<double>(all) * share / static_cast<double>(others);
  const std::int64_t parts = groups * others, even = (all + parts - 1) / parts;
  return {even, std::max(even, static_cast<std::int64_t>(std::ceil(most - kRounding * most)))};
}

RowsHeld rows_moved(const Graph& graph, const Strategy& strategy,
                    std::span<const std::int64_t> degrees, LayerId rows, const Layout& from,
                    const Layout& to) {
  const RowsHeld before = rows_held(graph, strategy, degrees, rows, from);
  const RowsHeld after = rows_held(graph, strategy, degrees, rows, to);
  return before.of(1) > after.of(1) ? before : after;
}

}  // namespace oracle
