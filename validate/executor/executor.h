#pragma once
// How is a plan carried out?
//
// Each rank binds the items of its stages to a program (validate/program) and runs it, turn by turn
// in the order of the pipeline schedule, on whatever back end and communicator it is given.
// Gradient buckets travel while backward goes on where the plan overlaps them. The loss is a mean
// over the global batch: every kernel of a loss scales its gradient by one over it.
//                                                     tests/validate/equivalence/strategies_test.cpp

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "oracle/graph/graph.h"
#include "oracle/plan/plan.h"
#include "validate/data/sample_source.h"
#include "validate/executor/loss_scale.h"
#include "validate/executor/sample_ranges.h"
#include "validate/executor/state_shards.h"
#include "validate/executor/step_record.h"
#include "validate/executor/weight_servers.h"
#include "validate/program/program.h"

namespace oracle {

struct ExecutorOptions {
  std::uint64_t seed = 1;
  OptimizerStep optimizer;
  std::int64_t rate_warm_up = 0;  ///< steps in which its rate rises (rate_schedule.h)
  /// Of the first step, where gradients are fp16.
  LossScale loss_scale;
  /// Relative, added to the initial weights, to what every layer makes and to every gradient: shows
  /// how far rounding carries.
  double noise = 0;
  /// What is trained on, which outlives the executor; null: the generated set of `seed`.
  const SampleSource* samples = nullptr;
  /// Of each micro-batch, as many as the plan has; empty: equal parts of the batch.
  std::vector<SampleRange> ranges;
  /// That will be trained, which servers need to know that do not wait for all ranks.
  std::int64_t steps = 0;
  /// Behind so many steps one is recorded and replayed from there on (step_replay.h); 0: none is.
  /// Of one rank on a back end that records, without noise, on the generated set, and with
  /// gradients that are not scaled.
  std::int64_t replay_after = 0;
  /// Adds up squares of gradients, for the noise scale. Of ranks that share samples alone and sum
  /// their gradients, or of micro-batches of one.
  bool squares = false;
};

/// What the next step starts from beside weights and moments.
struct StepCounters {
  std::int64_t updates = 0;  ///< steps that were not skipped
  LossScale loss_scale;
};

class Executor {
 public:
  /// The arguments outlive the executor. Throws InputError where a piece cannot be run.
  Executor(const Graph& graph, const Plan& plan, Backend& backend, Communicator& communicator,
           const ExecutorOptions& options);
  ~Executor();
  Executor(Executor&&) noexcept;

  /// Step `number`, counted from 1. Samples follow one another from step to step.
  StepRecord step(std::int64_t number);

  const Program& program() const;
  /// Of a layer of this rank's stages.
  const Weights& weights(LayerId id) const;
  /// Elements of a parameter, by their number on this rank, of which it has the complete gradient:
  /// all of them, or those of its shard.
  Interval held_gradient(LayerId id, std::size_t parameter) const;
  /// Of the gradients that this rank's servers took; none where they wait for all.
  Staleness staleness() const;
  /// That gradient.
  std::vector<float> gradient(LayerId id, std::size_t parameter) const;

  /// All that the next step starts from. To be set behind a first step, in which back ends choose
  /// how they keep weights, and whose result it takes the place of (state_shards.h).
  StateShards& state();
  const StateShards& state() const;
  StepCounters counters() const;
  void set_counters(const StepCounters& counters);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oracle
