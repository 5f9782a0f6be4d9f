#pragma once
// How does the state of all ranks become one checkpoint, and a checkpoint the state of a rank?
//
// A rank has a part of a parameter (validate/program/parameters.h), or its shard of that part
// (validate/executor/state_shards.h). Of ranks with the same part the first one gives it. Rank 0
// takes the parts, parameter by parameter, and puts each element where it lies in the whole; so a
// file does not depend on the strategy, and another one takes its own parts of it. The folder is
// one that every rank reads.                          tests/validate/checkpoint/collect_test.cpp

#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/checkpoint/checkpoint.h"
#include "validate/executor/executor.h"

namespace oracle {

class StateCollector {
 public:
  /// Called on every rank; the arguments outlive it. Requires has_shared_state.
  StateCollector(const Graph& graph, const Plan& plan, const Executor& executor, Backend& backend,
                 Communicator& communicator, const OptimizerStep& optimizer);

  /// All tensors on rank 0, none elsewhere. Called on every rank, between steps.
  std::vector<StateTensor> collect() const;

 private:
  /// Elements of a parameter that one rank has.
  struct Part {
    int rank = 0;
    LayerId layer = 0;
    std::size_t parameter = 0;
    ParameterSlice slice;
    Interval held;
  };

  std::vector<Part> own_parts() const;
  /// Leaves the parts that this rank gives in `given_`.
  void agree(std::vector<Part> own);
  void send(const Part& part, StateArray array) const;
  void take(const Part& part, StateArray array, std::vector<float>& whole) const;
  std::vector<float> received(const Part& part) const;

  const Graph& graph_;
  const Executor& executor_;
  Backend& backend_;
  Communicator& communicator_;
  std::vector<StateArray> arrays_;
  std::vector<Part> given_;  ///< by this rank; on rank 0 by all, in the order of their parameters
};

/// False where a rank has state of its own: an exchange leaves something out of a gradient, which
/// is added to the next one, or weights are averaged now and then.
bool has_shared_state(const Strategy& strategy);

/// The arrays that an optimizer keeps of a parameter.
std::vector<StateArray> arrays_of(const OptimizerStep& optimizer);

/// Throws InputError with every difference where the file holds no state of this network and
/// optimizer.
void require_state_of(const CheckpointFile& file, const Graph& graph,
                      const OptimizerStep& optimizer);

/// Takes this rank's parts of the file. Behind a first step of the executor.
void restore(const CheckpointFile& file, const Graph& graph, const OptimizerStep& optimizer,
             Executor& executor);

}  // namespace oracle
