#pragma once
// In which order does a pipeline stage run its micro-batches?
//
//   gpipe   all forwards, then all backwards                        Huang et al., NeurIPS 2019
//   1f1b    min(m, S − s) forwards, then one backward, one forward  Narayanan et al., SOSP 2019 /
//   SC 2021
//
// Both without a pipeline: forward, backward, forward, backward, … (gradient accumulation).
// Worked: S = 2, m = 3, 1f1b: stage 0 runs F0 F1 B0 F2 B1 B2, stage 1 F0 B0 F1 B1 F2 B2.
//                                                                        tests/plan/pipeline_order_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/plan/strategy/strategy.h"

namespace oracle {

struct Turn {
  bool forward = true;
  std::int64_t micro_batch = 0;
  bool operator==(const Turn&) const = default;
};

/// Micro-batches whose activations a stage holds at its worst moment.
std::int64_t in_flight(PipelineSchedule schedule, std::int64_t stages, std::int64_t stage,
                       std::int64_t micro_batches);

/// Turn number `turn` of 2·micro_batches, of a stage that holds `held` micro-batches at its worst
/// moment.
Turn turn_at(std::int64_t turn, std::int64_t held, std::int64_t micro_batches);

/// All turns of a stage in order.
std::vector<Turn> stage_order(PipelineSchedule schedule, std::int64_t stages, std::int64_t stage,
                              std::int64_t micro_batches);

}  // namespace oracle
