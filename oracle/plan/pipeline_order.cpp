#include "oracle/plan/pipeline_order.h"

#include <algorithm>

namespace oracle {

std::int64_t in_flight(PipelineSchedule schedule, std::int64_t stages, std::int64_t stage,
                       std::int64_t micro_batches) {
  if (stages > 1 && schedule == PipelineSchedule::gpipe) return micro_batches;
  return std::min(micro_batches, stages - stage);
}

Turn turn_at(std::int64_t turn, std::int64_t held, std::int64_t micro_batches) {
  if (turn < held) return {true, turn};
  const std::int64_t later = turn - held;
  const std::int64_t forwards_left = micro_batches - held;
  if (later >= 2 * forwards_left) return {false, later - forwards_left};
  return later % 2 == 0 ? Turn{false, later / 2} : Turn{true, held + later / 2};
}

std::vector<Turn> stage_order(PipelineSchedule schedule, std::int64_t stages, std::int64_t stage,
                              std::int64_t micro_batches) {
  const std::int64_t held = in_flight(schedule, stages, stage, micro_batches);
  std::vector<Turn> order;
  for (std::int64_t turn = 0; turn < 2 * micro_batches; ++turn) {
    order.push_back(turn_at(turn, held, micro_batches));
  }
  return order;
}

}  // namespace oracle
