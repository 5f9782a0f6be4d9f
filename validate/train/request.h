#pragma once
// What was asked of oracle-train?                        tests/validate/train/request_test.cpp

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "oracle/cli/command.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/shared_device.h"
#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/training.h"
#include "validate/checkpoint/saver.h"
#include "validate/train/device.h"
#include "validate/train/plan_file.h"

namespace oracle {

struct TrainRequest {
  Graph graph;
  Cluster cluster;
  Strategy strategy;
  Training training;
  TrainDevice device = device_named("cpu");
  std::optional<PlanFile> plan;  ///< that the above was read from
  DeviceSharing sharing;         ///< of a GPU by ranks
  std::int64_t steps = 10;
  std::int64_t warm_up = 1;  ///< steps that are not timed
  double rate = 0.01;
  std::int64_t rate_warm_up = 0;  ///< steps in which it rises
  std::uint64_t seed = 1;
  int threads = 1;
  std::optional<std::string> data;  ///< the images; none: the generated set
  int workers = 1;                  ///< threads that read them ahead
  double watchdog = 60;             ///< seconds that a read, or a message, may take
  bool check = false;
  bool noise_scale = false;        ///< of gradients is measured
  bool replays = false;            ///< steps from a recording
  std::optional<std::string> out;  ///< file of the result
  std::optional<CheckpointRequest> checkpoints;
  std::optional<std::string> resume;  ///< folder of checkpoints to go on from
};

/// Its options, for help and parser.
const cli::Command& train_command();

/// The device, as far as it can be read; else the processor.
TrainDevice training_device(std::span<const char* const> args);

/// Seconds of the watchdog, as far as they can be read: the communicator is made before a problem
/// of the command line can be reported once.
double watchdog_seconds(std::span<const char* const> args);

/// How many ranks are to share a GPU, as far as it can be read; none where it is not said.
std::optional<std::int64_t> ranks_per_gpu(std::span<const char* const> args);

/// Whether the environment gives this process a part of a GPU's multiprocessors (CUDA MPS).
bool has_part_of_gpu();

/// Least steps of a run with --graph that are run as others are: to warm up, and to be timed by
/// item.
std::int64_t steps_before_replay(const TrainRequest& request);

/// Throws InputError with every problem. `partitioned`: ranks of a GPU have a part of it each.
TrainRequest read_request(std::span<const char* const> args, bool partitioned = has_part_of_gpu());

}  // namespace oracle
