#pragma once
// How does one rank train, and check itself against the serial run?

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "oracle/cluster/cluster.h"
#include "validate/checkpoint/saver.h"
#include "validate/record/rank_record.h"

namespace oracle {

using MakeBackend = std::function<std::unique_ptr<Backend>()>;

struct TrainingRun {
  const Graph& graph;
  const Plan& plan;
  const Cluster& cluster;
  std::int64_t steps = 1;  ///< of the whole run, those of a checkpoint included
  ExecutorOptions options{};
  /// The step whose gradients are compared with those of a serial run of the same steps, or the
  /// next that is not skipped; 0: none. Of the first step weights are equal; later, rounding may
  /// have turned a rectifier.
  std::int64_t checked_step = 0;
  std::int64_t warm_up = 0;  ///< steps whose items are not timed
  /// Told after each step how many are done, and of how many; may be empty.
  std::function<bool(std::int64_t, std::int64_t)> watch{};
  const CheckpointFile* resumed = nullptr;  ///< to go on from; null: from the start
  std::optional<CheckpointRequest> checkpoints{};
  std::string data{};  ///< what it trains on, as checkpoints name it

  /// The first step that is trained.
  std::int64_t first_step() const { return resumed == nullptr ? 1 : resumed->head().step + 1; }
};

/// The optimizer of a training at a learning rate, with the usual moments (0.9 and 0.999).
OptimizerStep optimizer_step(const Optimizer& optimizer, double rate);

/// What identifies a run in its checkpoints.
CheckpointHead checkpoint_head(const TrainingRun& run);

/// Called on every rank with its communicator. A run that goes on from a checkpoint takes the step
/// before once more and drops what it makes: so back ends have chosen how they keep weights, and
/// ranks the order in which they add gradients, before the state is what the checkpoint holds.
RankRecord train(const TrainingRun& run, const MakeBackend& make_backend,
                 Communicator& communicator);

}  // namespace oracle
