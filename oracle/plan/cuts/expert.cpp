// expert: each rank holds some of the experts, and of all else a part of the batch, as under data
// parallelism, or the positions that reach it. Rows of tokens lie along the sequence, expert by
// expert, so that what is by tokens before and after is by experts between: an all-to-all there and
// one back, and the same in backward. Lepikhin et al., "GShard", arXiv 2006.16668.

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {

CutAnswer expert(const Layer& layer, std::int64_t degree, State incoming) {
  const bool of_rows = layer.routed == Routed::no && incoming == State::expert;
  if (layer.routed != Routed::expert && !of_rows) {
    const bool by_position = incoming == State::sequence;
    return by_position ? context(layer, degree, incoming) : sample(layer, degree, incoming);
  }
  if (layer.routed == Routed::expert && layer.experts % degree != 0) {
    return refuse(Constraint::filters, layer, degree, layer.experts,
                  "experts that the degree divides", "expert");
  }
  CutAnswer answer;
  answer.effect = {State::expert, State::expert, State::expert, State::expert, false, false, false};
  answer.effect.cuts_experts = layer.routed == Routed::expert;
  return answer;
}

}  // namespace oracle::cuts
