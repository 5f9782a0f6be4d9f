#pragma once
// How is one operation of a program carried out?
//
// A layer runs its kernel, a move exchanges, a load takes samples; gathers and sums go to the state
// in shards. What dies with an operation is freed behind it. Keys that go round are under way
// beside a step of attention. Times and bytes are those of the operation's item.
//                                               tests/validate/equivalence/strategies_test.cpp

#include <cstdint>
#include <string>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "oracle/graph/graph.h"
#include "validate/executor/exchange.h"
#include "validate/executor/key_passes.h"
#include "validate/executor/micro_batch.h"
#include "validate/executor/state_shards.h"
#include "validate/executor/step_exchange.h"
#include "validate/executor/step_input.h"
#include "validate/executor/step_losses.h"
#include "validate/executor/step_record.h"
#include "validate/executor/step_times.h"
#include "validate/executor/trained.h"

namespace oracle {

/// What a rank's operations work with. All of it outlives the runner.
struct Surroundings {
  const Graph& graph;
  Backend& backend;
  Communicator& communicator;
  const TrainedLayers& trained;
  StateShards& shards;
  StepExchange& exchange;
  StepInput& input;
  StepLosses& losses;
  StepTimes& times;
};

class OperationRunner {
 public:
  /// `groups`: of forward and backward; `noise`: ExecutorOptions::noise.
  OperationRunner(const Surroundings& with, const RankGroups& groups, double noise,
                  StepState& step);

  void run(const Operation& operation, MicroBatch& batch);
  /// Waits for everything that left.
  void finish() { exchanger_.finish(); }

 private:
  void run(const Load& load, MicroBatch& batch);
  void run(const LayerRun& layer, std::uint32_t item, MicroBatch& batch);
  Statistics statistics_of(const LayerRun& layer, std::uint32_t item, Kernel& kernel, Call call);
  void start_pass(const Operation& operation, MicroBatch& batch);
  void finish_passes();
  void keep_pace();
  std::string label(const Move& move, const MicroBatch& batch) const;

  Surroundings with_;
  double noise_;
  StepState& step_;
  Exchanger exchanger_;
  KeyPasses passes_;
  Mark begin_ = 0;  ///< of the operation under way, or of its rest
};

}  // namespace oracle
