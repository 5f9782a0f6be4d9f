// ulysses: positions of a text as context cuts them, but attention works on all positions of a part
// of the heads: queries, keys and values change from positions to heads, and what attention makes
// changes back. Jacobs et al., "DeepSpeed Ulysses", arXiv 2309.14509. Of keys and values that have
// fewer heads than there are ranks each rank gets all. A convolution along the text has all
// positions of a part of the channels, as the linear attention behind it.

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {

CutAnswer ulysses(const Layer& layer, std::int64_t degree, State incoming) {
  const bool along_text = layer.reach == Reach::whole && layer.mixing == Mixing::channelwise &&
                          layer.input[Axis::sequence] > 1;
  if (along_text) return by_feature(layer, degree);
  if (layer.heads.keys == 0) return context(layer, degree, incoming);
  if (layer.heads.queries < degree) {
    return refuse(Constraint::filters, layer, degree, layer.heads.queries, "heads", "ulysses");
  }
  const CutAnswer answer = by_group(layer, degree);
  return answer.effect.cuts() ? answer : context(layer, degree, incoming);
}

}  // namespace oracle::cuts
