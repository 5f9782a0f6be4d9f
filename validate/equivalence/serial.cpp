#include "validate/equivalence/serial.h"

#include <set>

#include "oracle/base/error.h"
#include "oracle/plan/assignment.h"
#include "oracle/plan/layout/halo.h"

namespace oracle {
namespace {

/// Parts into which the samples of a layer are cut for its statistics.
std::int64_t statistics_groups(const Plan& plan, LayerId id) {
  std::int64_t groups = 1;
  for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
    const State state = plan.pieces[id].input_layout[a];
    if (state == State::sample) groups *= plan.degrees[a];
    if (spatial_axis_of(state) < 0 || plan.strategy.batch_norm != BatchNormMode::local) continue;
    throw InputError(
        "--strategy",
        "with batch_norm=local and sharded positions, no serial run normalizes the same "
        "values",
        "check with batch_norm=per_replica or batch_norm=synchronized");
  }
  return plan.strategy.batch_norm == BatchNormMode::synchronized ? 1 : groups;
}

std::int64_t groups_of(const Graph& graph, const Plan& plan) {
  std::set<std::int64_t> found;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (graph[id].batch_statistics) found.insert(statistics_groups(plan, id));
  }
  if (found.size() > 1) {
    throw InputError(
        "--strategy",
        "its batch norms shard the samples differently, so no serial run normalizes the "
        "same groups",
        "check with batch_norm=synchronized");
  }
  return found.empty() ? 1 : *found.begin();
}

}  // namespace

SerialRun serial_run(const Graph& graph, const Plan& plan, const Cluster& cluster) {
  const std::int64_t groups = groups_of(graph, plan);
  SerialRun run;
  for (const SampleRange& range : micro_batches(plan.training.batch, plan.strategy.micro_batches)) {
    for (std::int64_t g = 0; g < groups; ++g) {
      run.ranges.push_back({range.begin + slab_begin(g, range.size(), groups),
                            range.begin + slab_begin(g + 1, range.size(), groups)});
    }
  }
  Strategy serial;
  serial.fusion = false;
  serial.micro_batches = static_cast<std::int64_t>(run.ranges.size());
  auto made = partition(graph, serial, plan.training, cluster);
  ensure(std::holds_alternative<Plan>(made), "what can be cut can be run serially");
  run.plan = std::get<Plan>(std::move(made));
  return run;
}

}  // namespace oracle
