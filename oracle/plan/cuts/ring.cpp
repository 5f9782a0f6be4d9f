// ring: positions of a text as context cuts them, but attention leaves keys and values in parts and
// reads one part after the other, as ranks hand them round (plan/key_ring.h). Liu et al., "Ring
// attention", arXiv 2310.01889. Attention that adds a trained table to its scores, or reads within
// blocks alone, is cut as by context.

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {

CutAnswer ring(const Layer& layer, std::int64_t degree, State incoming) {
  CutAnswer answer = context(layer, degree, incoming);
  const Heads& heads = layer.heads;
  if (heads.keys == 0 || heads.within > 0 || !layer.weights.empty()) return answer;
  const std::int64_t features =
      heads.keys * (layer.input.channels() + layer.output.channels()) / heads.queries;
  if (!answer.effect.others_replicated || layer.other_elements / features < degree) return answer;
  answer.effect.others_replicated = false;
  answer.effect.passes_others = true;
  return answer;
}

}  // namespace oracle::cuts
