// alternate (tensor parallelism): contractions take filter and channel cuts in turn, so that a pair
// needs one all-reduce: the first leaves its features apart, what follows works on the parts, the
// second sums over them. Shoeybi et al., "Megatron-LM", arXiv 1909.08053, for transformers.

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {

CutAnswer alternate(const Layer& layer, std::int64_t degree, State incoming) {
  const bool in_parts = incoming == State::channel;
  if (layer.mixing == Mixing::contraction && layer.groups == 1 && in_parts) {
    return channel(layer, degree, incoming);
  }
  return filter(layer, degree, incoming);
}

}  // namespace oracle::cuts
