#include "oracle/plan/pipeline_order.h"

#include <algorithm>

namespace oracle {

std::int64_t in_flight(PipelineSchedule schedule, std::int64_t stages, std::int64_t stage,
                       std::int64_t micro_batches) {
  if (stages > 1 && schedule == PipelineSchedule::gpipe) return micro_batches;
  return std::min(micro_batches, stages - stage);
}

std::vector<Turn> stage_order(PipelineSchedule schedule, std::int64_t stages, std::int64_t stage,
                              std::int64_t micro_batches) {
  std::vector<Turn> order;
  order.reserve(static_cast<std::size_t>(2 * micro_batches));
  std::int64_t forwards = in_flight(schedule, stages, stage, micro_batches);
  for (std::int64_t m = 0; m < forwards; ++m) order.push_back({true, m});
  for (std::int64_t m = 0; m < micro_batches; ++m) {
    order.push_back({false, m});
    if (forwards < micro_batches) order.push_back({true, forwards++});
  }
  return order;
}

}  // namespace oracle
