#pragma once
// How does one rank train, and check itself against the serial run?

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "oracle/cluster/cluster.h"
#include "validate/record/rank_record.h"

namespace oracle {

using MakeBackend = std::function<std::unique_ptr<Backend>()>;

struct TrainingRun {
  const Graph& graph;
  const Plan& plan;
  const Cluster& cluster;
  std::int64_t steps = 1;
  ExecutorOptions options{};
  /// The step whose gradients are compared with those of a serial run of the same steps, or the
  /// next that is not skipped; 0: none. Of the first step weights are equal; later, rounding may
  /// have turned a rectifier.
  std::int64_t checked_step = 0;
  std::int64_t warm_up = 0;  ///< steps whose items are not timed
  /// Told after each step how many are done, and of how many; may be empty.
  std::function<bool(std::int64_t, std::int64_t)> watch{};
};

/// The optimizer of a training at a learning rate, with the usual moments (0.9 and 0.999).
OptimizerStep optimizer_step(const Optimizer& optimizer, double rate);

/// Called on every rank with its communicator.
RankRecord train(const TrainingRun& run, const MakeBackend& make_backend,
                 Communicator& communicator);

}  // namespace oracle
