#include "oracle/plan/token_groups.h"

#include <algorithm>
#include <bit>

#include "oracle/plan/busiest_rows.h"

namespace oracle {

double groups_of_token(std::int64_t groups, std::int64_t experts_of_group, std::int64_t per_token) {
  const std::int64_t experts = groups * experts_of_group;
  double missed = 1;
  for (std::int64_t i = 0; i < per_token; ++i) {
    missed *= static_cast<double>(std::max<std::int64_t>(experts - experts_of_group - i, 0)) /
              static_cast<double>(experts - i);
  }
  return static_cast<double>(groups) * (1 - missed);
}

std::array<RowHop, 2> row_hops(const Graph& graph, LayerId rows, const Layout& from, AxisSet axes,
                               std::span<const std::int64_t> degrees, std::int64_t most) {
  const auto outer = static_cast<std::size_t>(std::countr_zero(axes));
  const LayerId dispatch = dispatch_of(graph, rows);
  const bool leaves = is_by_token(from[outer]), returns = from[outer] == State::expert;
  if (dispatch == 0 || !(leaves || returns)) return {{{axes, 1}, {}}};
  const Layer& layer = graph[dispatch];
  const std::int64_t experts = graph[layer.inputs[1]].output.channels();
  const std::int64_t per_token = layer.output[Axis::sequence] / layer.input[Axis::sequence];
  const std::int64_t groups = degrees[outer];
  double copies = groups_of_token(groups, experts / groups, per_token);
  if (most > 0) copies = std::min(copies, static_cast<double>(most));
  const AxisSet outermost = AxisSet{1} << outer;
  const RowHop across{outermost, copies / static_cast<double>(per_token)};
  const RowHop inside{axes & ~outermost, 1};
  return leaves ? std::array{across, inside} : std::array{inside, across};
}

}  // namespace oracle
