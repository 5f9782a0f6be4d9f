#include "oracle/plan/exchanges/averaging.h"

#include "oracle/base/quantity_text.h"
#include "oracle/plan/exchanges/gradient_exchange.h"

namespace oracle {
namespace {

constexpr std::int64_t kLongestPeriod = 1'000'000;

/// Axes along which every layer shards samples.
AxisSet axes_of_samples(const Strategy& strategy) {
  AxisSet axes = 0;
  for (std::size_t a = 0; a < strategy.mesh.size(); ++a) {
    bool samples = strategy.mesh[a].cut == Cut::sample;
    for (const LayerRule& rule : strategy.rules) samples &= rule.cuts[a] == Cut::sample;
    if (samples) axes |= AxisSet{1} << a;
  }
  return axes;
}

}  // namespace

double read_period(std::string_view text) {
  return static_cast<double>(parse_count(text, 1, kLongestPeriod));
}

bool averages_always(double period) { return period == 1; }

std::optional<Infeasible> refused_averaging(const Graph& graph, const Assignment& assignment,
                                            const Strategy& strategy) {
  if (!chosen_exchange(strategy.exchange).averages()) return std::nullopt;
  const AxisSet samples = axes_of_samples(strategy);
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (!graph[id].learns() || gradient_axes(assignment.effects[id]) == samples) continue;
    return Infeasible{
        Constraint::exchange,
        "exchange=" + strategy.exchange +
            " lets ranks with samples of their own train by themselves, and the "
            "gradient of " +
            graph[id].name + " is summed over others too",
        0,
        0,
        {},
        "shard samples along one axis (data), or leave out exchange=" + strategy.exchange};
  }
  return std::nullopt;
}

}  // namespace oracle
