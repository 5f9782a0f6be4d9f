// What does dropout compute and touch in training?
//
//   y = m·x/(1 − rate),   m a random mask             Srivastava et al., JMLR 15, 2014
//
// Forward reads x and writes y and the mask, one byte per element; backward reads dy and the mask
// and writes dx. Two operations per element forward (draw and scale), one backward. The rate
// changes neither.
//
// Worked: on 4096 features it keeps 4096 bytes per sample    tests/graph/kinds/elementwise_test.cpp

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape>) {
  layer.output = layer.input;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  layer.work = {{{2, 1, 1, 0}, {1, 1, 1, 0}, {}}};
  layer.mask_bytes_per_output = 1;
}

}  // namespace

const Kind kDropoutKind{"dropout", "sets random elements to zero", {}, 1, 1, false, describe};

}  // namespace oracle
