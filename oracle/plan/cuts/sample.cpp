// sample (data parallelism): each rank holds all weights and part of the batch. Weight gradients
// are partial sums. Whether the batch has enough samples is judged for the whole mesh, in
// partition().

#include "oracle/plan/cuts/rules.h"

namespace oracle::cuts {

CutAnswer sample(const Layer&, std::int64_t, State) {
  CutAnswer answer;
  answer.effect = {State::sample, State::sample, State::sample, State::sample, false, false, true};
  return answer;
}

}  // namespace oracle::cuts
