#include "tests/validate/runs.h"

#include "tests/validate/plain/backend.h"

namespace oracle {

namespace {

/// `checked`: the step whose gradients are compared, 0: none.
Outcome trained(const Graph& graph, std::string_view strategy, const RunOptions& options,
                std::int64_t checked) {
  Cluster cluster = flat_cluster();
  cluster.device.peak.fill(FlopRate{10e12});
  cluster.device.fusions = options.fusions;
  const Plan plan = std::get<Plan>(partition(
      graph, parse_strategy(strategy), training_of(options.batch, options.precision), cluster));
  TrainingRun run{graph, plan, cluster, options.steps, {}, checked};
  run.resumed = options.resumed;
  run.checkpoints = options.checkpoints;
  run.options.seed = options.seed;
  run.options.loss_scale = options.loss_scale;
  run.options.samples = options.samples;
  run.options.optimizer = optimizer_step(optimizer_named(options.optimizer), options.rate);
  const MakeBackend make_backend = options.backend ? options.backend : plain_backend;
  std::vector<RankRecord> records(static_cast<std::size_t>(plan.ranks()));
  run_ranks(static_cast<int>(plan.ranks()), [&](Communicator& communicator) {
    const auto decorated = options.decorate ? options.decorate(communicator) : nullptr;
    Communicator& used = decorated ? *decorated : communicator;
    records[static_cast<std::size_t>(used.rank())] = train(run, make_backend, used);
  });
  return outcome_of(graph, plan, cluster, records);
}

}  // namespace

Outcome run_both(const Graph& graph, std::string_view strategy, const RunOptions& options) {
  const std::int64_t checked = options.checked_step > 0 ? options.checked_step : options.steps;
  return trained(graph, strategy, options, checked);
}

Outcome run_alone(const Graph& graph, std::string_view strategy, const RunOptions& options) {
  return trained(graph, strategy, options, 0);
}

}  // namespace oracle
