// filter: each rank computes part of the output features of a contraction from the whole input; its
// input gradient is a partial sum. What follows feature by feature keeps the parts apart; the next
// contraction gathers them. A grouped contraction whose groups divide evenly needs only its own
// groups' input, so it cuts like a layer that works feature by feature. A table that is looked up
// is cut by rows: of a text's vocabulary each rank has a part.

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {

CutAnswer filter(const Layer& layer, std::int64_t degree, State incoming) {
  switch (layer.mixing) {
    case Mixing::whole:
      if (layer.looks_up) return by_row(layer, degree);
      return incoming == State::channel ? by_group(layer, degree) : CutAnswer{};
    case Mixing::channelwise:
      return incoming == State::channel ? by_feature(layer, degree) : CutAnswer{};
    case Mixing::contraction:
      break;
  }
  const std::int64_t filters = layer.output.channels();
  if (filters < degree) {
    return refuse(Constraint::filters, layer, degree, filters, "filters", "filter");
  }
  if (layer.groups > 1 && layer.groups % degree == 0) return by_feature(layer, degree);
  CutAnswer answer;
  answer.effect = {
      State::replicated, State::channel, State::channel, State::partial, true, false, false};
  return answer;
}

}  // namespace oracle::cuts
