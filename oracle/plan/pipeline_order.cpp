#include "oracle/plan/pipeline_order.h"

#include <algorithm>

namespace oracle {
namespace {

/// Pass number `pass` of a rank in one direction.
Turn pass_at(bool forward, std::int64_t pass, const PipelineForm& form) {
  if (form.chunks == 1) return {forward, pass};
  const std::int64_t group = form.ranks * form.chunks;
  const std::int64_t first = pass / group * form.ranks;
  const std::int64_t together = std::min(form.ranks, form.micro_batches - first);
  const std::int64_t chunk = pass % group / together;
  return {forward, first + pass % group % together, forward ? chunk : form.chunks - 1 - chunk};
}

}  // namespace

std::int64_t in_flight(const PipelineForm& form, std::int64_t rank) {
  if (form.ranks > 1 && form.schedule == PipelineSchedule::gpipe) return form.passes();
  const std::int64_t after = form.ranks - 1 - rank;
  if (form.chunks == 1) return std::min(form.micro_batches, after + 1);
  return std::min(form.passes(), 2 * after + (form.chunks - 1) * form.ranks + 1);
}

Turn turn_at(std::int64_t turn, std::int64_t ahead, const PipelineForm& form) {
  if (turn < ahead) return pass_at(true, turn, form);
  const std::int64_t later = turn - ahead;
  const std::int64_t forwards_left = form.passes() - ahead;
  if (later >= 2 * forwards_left) return pass_at(false, later - forwards_left, form);
  return later % 2 == 0 ? pass_at(false, later / 2, form) : pass_at(true, ahead + later / 2, form);
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
