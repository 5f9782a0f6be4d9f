// alternate (tensor parallelism): contractions take filter and channel cuts in turn, so that a pair
// needs one all-reduce: the first leaves its features apart, what follows works on the parts, the
// second sums over them. Shoeybi et al., "Megatron-LM", arXiv 1909.08053, for transformers. A
// router is too small to be cut, and so is the first product of an adapter, which sums over parts
// where its input comes in parts.

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {

CutAnswer alternate(const Layer& layer, std::int64_t degree, State incoming) {
  const bool in_parts = incoming == State::channel;
  if (layer.stays_whole && !in_parts) return {};
  if (layer.mixing == Mixing::contraction && layer.groups == 1 && in_parts) {
    return channel(layer, degree, incoming);
  }
  return filter(layer, degree, incoming);
}

// Where tensor parallelism leaves a layer whole, each rank takes its part of the positions: the sum
// over a pair is then scattered, and gathered before the next one. Korthikanti et al., "Reducing
// activation recomputation in large transformer models", arXiv 2205.05198, section 4.2.2.
CutAnswer alternate_sequence(const Layer& layer, std::int64_t degree, State incoming) {
  CutAnswer answer = alternate(layer, degree, incoming);
  return answer.refusal || answer.effect.cuts() ? answer : context(layer, degree, incoming);
}

// The same ranks have whole experts, to which each sends the tokens of its positions: what
// Megatron-Core calls expert tensor parallelism of one (Liu et al., "MoE Parallel Folding", arXiv
// 2504.14960).
CutAnswer alternate_expert(const Layer& layer, std::int64_t degree, State incoming) {
  const bool of_experts = layer.routed == Routed::expert || incoming == State::expert;
  return of_experts && layer.routed != Routed::combine
             ? expert(layer, degree, incoming)
             : alternate_sequence(layer, degree, incoming);
}

}  // namespace oracle::cuts
