#pragma once
// What does each rank tell of its run, and in which form does it reach rank 0?
//
// One JSON text per rank, gathered when training is over. What an item took is its mean over those
// steps that are neither among the shortest quarter nor among the longest (rounded down): times of
// one rank add up to those steps, which medians of each item do not where a kernel is sometimes
// interrupted, and a step that something disturbed does not count.
//
// Worked: an item of 1, 2, 6 and 90 s in steps of 10, 11, 12 and 99 s: 4 s
//                                                    tests/validate/record/rank_record_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/kernels/backend.h"
#include "validate/data/sample_source.h"
#include "validate/executor/step_record.h"
#include "validate/executor/weight_servers.h"

namespace oracle {

/// Of the checkpoints of a run, in their order.
struct CheckpointTimes {
  std::int64_t bytes = 0;       ///< of the state in one; 0 but on rank 0
  std::vector<double> waited;   ///< by training [s]
  std::vector<double> written;  ///< until the file was on the medium [s]; on rank 0 alone
  bool operator==(const CheckpointTimes&) const = default;
};

/// A stage that a rank has.
struct RankStage {
  std::size_t stage = 0;
  std::size_t first_item = 0;  ///< of its own, among those of the rank
  std::int64_t values = 0;     ///< that its layers make of a micro-batch
  bool operator==(const RankStage&) const = default;
};

struct RankRecord {
  int rank = 0;
  std::vector<RankStage> stages;      ///< several in a pipeline of chunks
  std::vector<double> losses;         ///< this rank's share, by step
  std::vector<double> step_seconds;   ///< by step
  std::vector<double> speeds;         ///< of the processor after each step, see SpeedGuard
  std::vector<double> input_seconds;  ///< waiting for samples, by step but the replayed ones
  std::vector<double> item_seconds;   ///< mean over typical steps, by what is measured (program.h)
  std::vector<double> item_bytes;     ///< of a step, likewise
  std::int64_t counted_bytes = 0;     ///< of a step, by the communicator
  std::int64_t peak_memory = 0;       ///< largest over the steps
  std::int64_t replayed_steps = 0;    ///< the last ones, whose items and input have no times
  std::int64_t skipped_steps = 0;     ///< whose gradients were not finite
  double loss_scale = 1;              ///< of the last step
  double scale_seconds = 0;           ///< median over the steps timed, StepRecord::scale_seconds
  Staleness staleness;                ///< of servers that do not wait
  /// Of gradients, by step; none where they were not asked for (executor/gradient_squares.h).
  std::vector<double> part_squares, whole_squares;
  std::int64_t part_samples = 0;  ///< of each part; 0 where they were not asked for
  double squares_seconds = 0;     ///< to add them up, median over the steps timed
  std::vector<Choice> choices;    ///< of algorithms, see Backend::choices
  InputCount input;               ///< images that workers read
  CheckpointTimes checkpoints;
  std::vector<double> serial_losses;     ///< by step, where it was checked
  std::vector<double> disturbed_losses;  ///< the same, from weights off by a rounding
  std::vector<std::string> differences;  ///< gradient_differences as text, where checked
  bool operator==(const RankRecord&) const = default;
};

/// The first `warm_up` values are left out.
double median_after(std::vector<double> values, std::int64_t warm_up);

/// Steps whose times, items and bytes are the means of so many in a row, from behind the first
/// `warm_up` on: what is done in one of them counts in each. The rest of a period is as the one
/// before it. Worked: 5, 1, 3, 2, 4, 9 s, 1 to warm up, by two: 5, 2, 2, 3, 3, 3
///                                                 tests/validate/record/rank_record_test.cpp
std::vector<StepRecord> over_periods(std::vector<StepRecord> steps, std::int64_t period,
                                     std::int64_t warm_up);

/// Lets each step have sent the mean of all.
void spread_bytes(std::vector<StepRecord>& steps);

/// The first `warm_up` steps, fewer than there are and than those that were not replayed, warm up.
RankRecord summarize(int rank, std::vector<RankStage> stages, std::span<const StepRecord> steps,
                     std::int64_t warm_up);

std::string to_text(const RankRecord& record);
RankRecord parse_record(std::string_view text);

}  // namespace oracle
