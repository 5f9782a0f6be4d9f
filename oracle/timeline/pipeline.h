#pragma once
// When does each stage of a pipeline run each micro-batch?
//
// Every rank runs its turns in order (plan/pipeline_order.h); a forward waits for the previous
// stage's output, a backward for the next stage's gradient. Each direction of the link between two
// ranks carries one message at a time.
//
// Turns come in rounds, which are alike but for the first and the last ones. A long run of them is
// not followed to its end: steady.h says how far it can be predicted, so that a million
// micro-batches take no longer than a thousand.
//
// Worked: p equal stages, m micro-batches, forward f, backward b, free messages: both schedules end
// after (m + p − 1)·(f + b); in v chunks of f/v and b/v, with p a divisor of m, after
// (m + (p − 1)/v)·(f + b). tests/timeline/pipeline_test.cpp

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/plan/pipeline_order.h"

namespace oracle {

/// Times of one stage for one micro-batch.
struct StageTimes {
  Seconds forward;
  Seconds backward;
  Seconds last_backward;  ///< of the last micro-batch, with gradient exchange and update
  Seconds to_next;        ///< message after forward
  Seconds from_next;      ///< message of the next stage's gradient
  Seconds update{};       ///< of `last_backward`, from where the update begins
};

/// A turn at its time, and the message that it sends on (of length 0 where there is none).
struct Slot {
  Turn turn;
  Seconds start, end;
  Seconds message_start, message_end;
};

/// The slots of each stage in the order run.
using PipelineRun = std::vector<std::vector<Slot>>;

/// When each stage begins its last turn, the last micro-batch's backward. What that turn adds to a
/// backward (gradient exchange and update) concerns no other stage: a message leaves before it.
std::vector<Seconds> last_turns(const PipelineForm& form, std::span<const StageTimes> stages);

/// The same of two pipelines of one form, whose turns are run together.
std::array<std::vector<Seconds>, 2> last_turns(const PipelineForm& form,
                                               std::span<const StageTimes> one,
                                               std::span<const StageTimes> other);

/// The slots of the first `shown` micro-batches.
PipelineRun run_pipeline(const PipelineForm& form, std::span<const StageTimes> stages,
                         std::int64_t shown);

}  // namespace oracle
