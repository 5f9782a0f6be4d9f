// depth, height, width (spatial parallelism): each rank holds all weights and a slab of positions.
// Windows that reach over the edge of a slab need halos from its neighbours, in forward of the
// input and in backward of the output gradient; global pooling leaves a partial sum; a layer that
// needs all positions at once, or has only one, stays whole. context does the same to the positions
// of a text, where attention gathers keys and values; those of causal attention are dealt evenly
// (plan/layout/dealt.h; Dubey et al., arXiv 2407.21783, section 3.3.2). Dryden et al., IPDPS 2019,
// "Improving strong-scaling of CNN training by exploiting finer-grained parallelism".

#include <algorithm>

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {
namespace {

CutAnswer cut_along(Axis axis, const Layer& layer, std::int64_t degree) {
  const State state = sharded(axis);
  const std::int64_t in = layer.input[axis], out = layer.output[axis];
  if (layer.reach == Reach::whole || in == 1) return {};
  const bool sums_positions = layer.reach == Reach::global && out == 1;
  if (out == 1 && !sums_positions) return {};
  const std::int64_t extent = sums_positions ? in : std::min(in, out);
  if (extent < degree) {
    return refuse(Constraint::extent, layer, degree, extent,
                  "positions of " + std::string(name_of(axis)), name_of(axis));
  }
  CutAnswer answer;
  if (sums_positions) {
    answer.effect = {state, State::partial, State::replicated, state, false, false, true};
  } else {
    answer.effect = {state, state, state, state, false, false, true, layer.others_read_whole};
  }
  return answer;
}

}  // namespace

CutAnswer depth(const Layer& layer, std::int64_t degree, State) {
  return cut_along(Axis::depth, layer, degree);
}

CutAnswer height(const Layer& layer, std::int64_t degree, State) {
  return cut_along(Axis::height, layer, degree);
}

CutAnswer width(const Layer& layer, std::int64_t degree, State) {
  return cut_along(Axis::width, layer, degree);
}

CutAnswer context(const Layer& layer, std::int64_t degree, State) {
  return cut_along(Axis::sequence, layer, degree);
}

}  // namespace oracle::cuts
