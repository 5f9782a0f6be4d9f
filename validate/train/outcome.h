#pragma once
// What was the run as a whole, and did it keep what the plan promised?
//
//   loss of a step     the sum of the ranks' shares
//   time of a step     the slowest rank's
//   time of an item    the mean of the stage's ranks whose pieces are the largest, which the plan
//                      describes: what they compute and wait adds up to the step, and which of
//                      them is interrupted by others is chance
//   bytes of an item   of the rank that sends most, which is the one that a plan describes, beside
//                      the plan's (planned.h)
//   memory             the hungriest rank's allocator, beside the footprint
//                                                        tests/validate/train/outcome_test.cpp

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/memory/footprint.h"
#include "oracle/plan/plan.h"
#include "validate/equivalence/differences.h"
#include "validate/record/choices.h"
#include "validate/record/noise.h"
#include "validate/record/rank_record.h"

namespace oracle {

/// An item of a stage as it ran: times and bytes of a whole step.
struct ItemOutcome {
  std::size_t stage = 0;
  Item item;
  std::string name;  ///< "forward conv1", "all_reduce of conv1: weight gradient"
  double seconds = 0;
  double sent_bytes = 0;
  double plan_bytes = 0;
};

struct Outcome {
  std::int64_t first_step = 1;       ///< of those that ran; later where a checkpoint was resumed
  std::int64_t warm_up = 0;          ///< of them that are not timed
  std::vector<double> losses;        ///< by step
  std::vector<double> step_seconds;  ///< by step
  std::vector<double> speeds;        ///< of the slowest rank's processor, by step
  std::vector<double>
      input_seconds;  ///< that the rank which waits longest waits for samples, by step not replayed
  /// That one worker reads, of the slowest rank that has any; 0 where none has.
  double images_per_worker_second = 0;
  std::vector<ItemOutcome> items;
  double sent_bytes = 0;  ///< of a step by all ranks, as the communicator counts them
  double item_bytes = 0;  ///< the same, added up item by item
  /// By how much items differ from the plan's; 0 unless a promise is broken.
  double unplanned_bytes = 0;
  std::int64_t peak_memory = 0;
  std::int64_t replayed_steps = 0;  ///< the last ones
  std::int64_t skipped_steps = 0;   ///< by all ranks alike, whose gradients were not finite
  double loss_scale = 1;            ///< of the last step; 1 but for fp16
  Staleness staleness;              ///< of all servers that do not wait
  double scale_seconds = 0;         ///< of a step, of the slowest rank (StepRecord)
  double footprint = 0;             ///< what the plan needs on its hungriest rank, without reserves
  std::vector<ChosenAlgorithm> algorithms;  ///< where back ends had a choice
  std::optional<RunNoise> noise;            ///< of gradients, where it was asked for
  CheckpointTimes checkpoints;              ///< waited for by the rank that waits longest
  std::optional<Equivalence> check;
};

/// Before those that tell the time of a step: the replayed ones where there are some, else all but
/// those to warm up.
std::int64_t untimed_steps(const Outcome& outcome, std::int64_t warm_up);

Outcome outcome_of(const Graph& graph, const Plan& plan, const Cluster& cluster,
                   std::span<const RankRecord> records);

}  // namespace oracle
