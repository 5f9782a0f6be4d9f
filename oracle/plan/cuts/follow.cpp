// follow: the layer keeps the layout that reaches it, where its kind allows; a sum that reaches it
// is completed first. Of feature parts a layer that needs all features of a group keeps whole
// groups; one that needs all features is left whole.

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {

CutAnswer follow(const Layer& layer, std::int64_t degree, State incoming) {
  switch (incoming) {
    case State::sample:
      return sample(layer, degree, incoming);
    case State::depth:
      return depth(layer, degree, incoming);
    case State::height:
      return height(layer, degree, incoming);
    case State::width:
      return width(layer, degree, incoming);
    case State::channel:
      return layer.mixing == Mixing::channelwise ? by_feature(layer, degree)
                                                 : by_group(layer, degree);
    case State::sequence:
      return context(layer, degree, incoming);
    case State::expert:
      return expert(layer, degree, incoming);
    case State::replicated:
    case State::partial:
      break;
  }
  return {};
}

}  // namespace oracle::cuts
