#pragma once
// When is a checkpoint written, and how long does training wait for it?
//
// Behind every N-th step and the last. Synchronous: all ranks wait until the file is on the medium.
// Asynchronous: they wait until rank 0 has a copy in memory (the snapshot), which is written while
// training goes on; the next checkpoint waits for it where it takes longer.
//                                                  tests/validate/checkpoint/saver_test.cpp

#include <cstdint>
#include <filesystem>
#include <future>

#include "validate/checkpoint/collect.h"
#include "validate/record/rank_record.h"

namespace oracle {

struct CheckpointRequest {
  std::filesystem::path folder;
  std::int64_t every = 0;  ///< steps; 0: behind the last one alone
  bool asynchronous = false;
};

class CheckpointSaver {
 public:
  /// `head`: all of it but how far the run is. Called on every rank; the arguments outlive it.
  CheckpointSaver(const CheckpointRequest& request, CheckpointHead head,
                  const StateCollector& collector, const Executor& executor,
                  Communicator& communicator);

  /// Behind `step` of `steps`, on every rank. Throws EnvironmentError where it cannot be written.
  void after(std::int64_t step, std::int64_t steps);
  /// What is under way is written. Throws as `after`.
  void finish();
  /// Of rank 0; elsewhere how long the rank has waited.
  const CheckpointTimes& times() const { return times_; }

 private:
  void write(Checkpoint checkpoint);

  CheckpointRequest request_;
  CheckpointHead head_;
  const StateCollector& collector_;
  const Executor& executor_;
  Communicator& communicator_;
  CheckpointTimes times_;
  std::future<double> under_way_;  ///< seconds that it takes
};

}  // namespace oracle
