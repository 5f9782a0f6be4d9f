#include "oracle/plan/pipeline_order.h"

#include <algorithm>

namespace oracle {

Turn pass_of_chunks(TurnKind kind, std::int64_t pass, const PipelineForm& form) {
  const std::int64_t group = form.ranks * form.chunks;
  const std::int64_t first = pass / group * form.ranks;
  const std::int64_t together = std::min(form.ranks, form.micro_batches - first);
  const std::int64_t chunk = pass % group / together;
  return {kind, first + pass % group % together,
          kind == TurnKind::forward ? chunk : form.chunks - 1 - chunk};
}

std::int64_t in_flight(const PipelineForm& form, std::int64_t rank) {
  if (form.ranks > 1 && form.schedule == PipelineSchedule::gpipe) return form.passes();
  const std::int64_t after = form.ranks - 1 - rank;
  const bool twice =
      form.parts_backward() ? form.schedule == PipelineSchedule::zb_h2 : form.chunks > 1;
  const std::int64_t more = form.pairs() ? 1 : 0;
  return std::min(form.passes(),
                  (twice ? 2 : 1) * after + (form.chunks - 1) * form.ranks + 1 + more);
}

std::int64_t alone(const PipelineForm& form, TurnKind kind, std::int64_t stage) {
  if (!form.pairs()) return form.micro_batches;
  const std::int64_t passes = in_flight(form, form.rank_of(stage)) - 1;
  if (form.chunks == 1) return passes;
  const std::int64_t first = kind == TurnKind::forward ? 0 : form.passes() - passes;
  std::int64_t count = 0;
  for (std::int64_t pass = first; pass < first + passes; ++pass) {
    if (pass_of_chunks(kind, pass, form).chunk == stage / form.ranks) ++count;
  }
  return count;
}

std::int64_t weights_lag(const PipelineForm& form, std::int64_t rank) {
  if (!form.parts_backward()) return 0;
  return std::min(form.passes(), form.schedule == PipelineSchedule::zb_h2 ? 2 * rank : rank);
}

std::vector<Turn> rank_order(const PipelineForm& form, std::int64_t rank) {
  std::vector<Turn> order;
  for (RankOrder turns(form, rank); !turns.is_over(); turns.advance()) {
    order.push_back(turns.turn());
  }
  return order;
}

}  // namespace oracle
