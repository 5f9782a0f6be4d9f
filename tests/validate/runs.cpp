#include "tests/validate/runs.h"

#include "tests/validate/plain/backend.h"
#include "validate/train/training.h"

namespace oracle {

Outcome run_both(const Graph& graph, std::string_view strategy, const RunOptions& options) {
  const Plan plan = plan_of(graph, strategy, options.batch);
  const Cluster cluster = flat_cluster();
  TrainingRun run{graph, plan, cluster, options.steps, {}, options.steps};
  run.options.seed = options.seed;
  run.options.optimizer = optimizer_step(optimizer_named("momentum"), options.rate);
  std::vector<RankRecord> records(static_cast<std::size_t>(plan.ranks()));
  run_ranks(static_cast<int>(plan.ranks()), [&](Communicator& communicator) {
    const auto decorated = options.decorate ? options.decorate(communicator) : nullptr;
    Communicator& used = decorated ? *decorated : communicator;
    records[static_cast<std::size_t>(used.rank())] = train(run, plain_backend, used);
  });
  return outcome_of(graph, plan, cluster, records);
}

}  // namespace oracle
