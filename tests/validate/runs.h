#pragma once
// A distributed run beside the serial run it must equal, on threads and plain kernels.

#include <string_view>

#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "validate/train/outcome.h"
#include "validate/train/training.h"

namespace oracle {

struct RunOptions {
  std::int64_t batch = 4;
  std::int64_t steps = 2;
  std::int64_t checked_step = 0;  ///< whose gradients are compared; 0: the last
  std::uint64_t seed = 7;
  double rate = 0.02;
  std::string_view optimizer = "momentum";  ///< the plain back end knows no other
  std::string_view precision = "fp32";
  LossScale loss_scale;
  Fusions fusions{};                      ///< of the device that is planned for
  const SampleSource* samples = nullptr;  ///< null: the generated set
  const CheckpointFile* resumed = nullptr;
  std::optional<CheckpointRequest> checkpoints;
  /// Makes every rank's back end; empty: the plain one.
  MakeBackend backend;
  /// Stands between every rank and its communicator.
  std::function<std::unique_ptr<Communicator>(Communicator&)> decorate;
};

/// The same without the serial run beside it.
Outcome run_alone(const Graph& graph, std::string_view strategy, const RunOptions& options = {});

/// Trains on as many threads as the strategy has ranks; the outcome is checked.
Outcome run_both(const Graph& graph, std::string_view strategy, const RunOptions& options = {});

}  // namespace oracle
