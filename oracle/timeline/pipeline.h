#pragma once
// When does each stage of a pipeline run each micro-batch?
//
// Every rank runs its turns in order (plan/pipeline_order.h); a forward waits for the previous
// stage's output, a backward for the next stage's gradient; its second turn, where it has one, for
// nothing. Each direction of the link between two ranks carries one message at a time.
//
// Turns come in rounds, which are alike but for the first and the last ones. A long run of them is
// not followed to its end: steady.h says how far it can be predicted, so that a million
// micro-batches take no longer than a thousand.
//
// Worked: p equal stages, m micro-batches, forward f, backward b, free messages: both schedules end
// after (m + p − 1)·(f + b); in v chunks of f/v and b/v, with p a divisor of m, after
// (m + (p − 1)/v)·(f + b). With b = i + w in two turns, w ≤ i and w ≤ f, and many micro-batches,
// zb_h1 ends after m·(f + b) + (p − 1)·(f + i − w), zb_h2 after m·(f + b) + (p − 1)·max(f, f + i −
// 2w). tests/timeline/pipeline_test.cpp

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
  Seconds backward;       ///< of one in two turns the first
  Seconds last_backward;  ///< the last turn: of the last micro-batch, with exchange and update
  Seconds to_next;        ///< message after forward
  Seconds from_next;      ///< message of the next stage's gradient
  Seconds update{};       ///< of `last_backward`, from where the update begins
  Seconds weights{};      ///< of a backward in two turns the second
  Seconds paired_forward{}, paired_backward{};  ///< of turns that are run together
};

/// A turn at its time, and the message that it sends on (of length 0 where there is none).
struct Slot {
  Turn turn;
  Seconds start, end;
  Seconds message_start, message_end;
};

/// The slots of each stage in the order run.
using PipelineRun = std::vector<std::vector<Slot>>;

/// When each stage begins its last turn, of the last micro-batch's backward. What that turn adds to
/// a backward (gradient exchange and update) concerns no other stage: a message leaves before it.
std::vector<Seconds> last_turns(const PipelineForm& form, std::span<const StageTimes> stages);

/// The same of two pipelines of one form, whose turns are run together.
std::array<std::vector<Seconds>, 2> last_turns(const PipelineForm& form,
                                               std::span<const StageTimes> one,
                                               std::span<const StageTimes> other);

/// The slots of the first `shown` micro-batches.
PipelineRun run_pipeline(const PipelineForm& form, std::span<const StageTimes> stages,
                         std::int64_t shown);

}  // namespace oracle
