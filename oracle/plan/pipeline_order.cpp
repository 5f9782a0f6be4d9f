#include "oracle/plan/pipeline_order.h"

#include <algorithm>

namespace oracle {

Turn pass_of_chunks(bool forward, std::int64_t pass, const PipelineForm& form) {
  const std::int64_t group = form.ranks * form.chunks;
  const std::int64_t first = pass / group * form.ranks;
  const std::int64_t together = std::min(form.ranks, form.micro_batches - first);
  const std::int64_t chunk = pass % group / together;
  return {forward, first + pass % group % together, forward ? chunk : form.chunks - 1 - chunk};
}

std::int64_t in_flight(const PipelineForm& form, std::int64_t rank) {
  if (form.ranks > 1 && form.schedule == PipelineSchedule::gpipe) return form.passes();
  const std::int64_t after = form.ranks - 1 - rank;
  if (form.chunks == 1) return std::min(form.micro_batches, after + 1);
  return std::min(form.passes(), 2 * after + (form.chunks - 1) * form.ranks + 1);
}

std::vector<Turn> rank_order(const PipelineForm& form, std::int64_t rank) {
  const std::int64_t ahead = in_flight(form, rank);
  std::vector<Turn> order;
  for (std::int64_t turn = 0; turn < form.turns(); ++turn) {
    order.push_back(turn_at(turn, ahead, form));
  }
  return order;
}

}  // namespace oracle
