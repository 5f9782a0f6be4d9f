// What does the cross entropy of a softmax compute and touch?
//
//   L = −log(exp x[t] / Σ_c exp x[c]),   summed over positions where there are any (segmentation)
//
// Forward reads the scores, one pass over the classes that fit in cache: maximum, difference,
// exponential and sum, 4 operations per score. Backward forms dx = softmax(x) − 1_t from the scores
// it kept: reads x, writes dx, 5 operations. The output is one number per sample, so the figures
// per output are those of all scores.
//
// Worked: 1000 classes: 4000 operations forward, output of 1 element
//                                                                   tests/graph/kinds/loss_test.cpp

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape>) {
  const auto scores = static_cast<double>(layer.input.elements());
  layer.output = {};
  layer.mixing = Mixing::whole;
  // The loss of an image is a sum over its positions.
  layer.reach = layer.input.positions() > 1 ? Reach::global : Reach::whole;
  layer.work = {{{4 * scores, 1, 1, 0}, {5 * scores, 2, 1, 0}, {}}};
  // The scores of a text are the largest tensor of a step: a cut vocabulary is not gathered.
  if (layer.input[Axis::sequence] > 1) layer.feature_sums = 3;
  layer.keeps_input = true;
}

}  // namespace

const Kind kSoftmaxLossKind{
    "softmax_loss", "cross entropy of a softmax over the channels", {}, 1, 1, true, describe};

}  // namespace oracle
