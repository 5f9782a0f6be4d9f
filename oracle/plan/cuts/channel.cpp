// channel: each rank holds part of the input features of a contraction and sums over them; the
// output is a partial sum. What follows feature by feature takes the reduced parts (a
// reduce-scatter). The first layer, which reads the network's input, stays whole: images have too
// few channels to cut.

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {
namespace {

bool reads_the_input(const Layer& layer) {
  return layer.inputs.size() == 1 && layer.inputs[0] == 0;
}

}  // namespace

CutAnswer channel(const Layer& layer, std::int64_t degree, State incoming) {
  switch (layer.mixing) {
    case Mixing::whole:
      return incoming == State::channel ? by_group(layer, degree) : CutAnswer{};
    case Mixing::channelwise:
      return incoming == State::channel || incoming == State::partial ? by_feature(layer, degree)
                                                                      : CutAnswer{};
    case Mixing::contraction:
      break;
  }
  if (reads_the_input(layer)) return {};
  const std::int64_t channels = layer.input.channels();
  if (channels < degree) {
    return refuse(Constraint::channels, layer, degree, channels, "channels", "channel");
  }
  if (layer.groups > 1) {
    if (layer.groups % degree == 0) return by_feature(layer, degree);
    return refuse(Constraint::channels, layer, degree, layer.groups,
                  "groups that the degree divides", "channel");
  }
  CutAnswer answer;
  answer.effect = {State::channel, State::partial, State::replicated, State::channel, false,
                   true,           false};
  return answer;
}

}  // namespace oracle::cuts
