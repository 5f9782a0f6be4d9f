// What does the mean squared error compute and touch?
//
//   L = 1/n · Σ (x − t)²
//
// Forward reads x: difference, square, sum, 3 operations per element. Backward forms
// dx = 2/n·(x − t): reads x, writes dx, 2 operations. The output is one number per sample, so the
// figures per output are those of all elements.
//
// Worked: 4 regression targets: 12 operations forward               tests/graph/kinds/loss_test.cpp

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape>) {
  const auto elements = static_cast<double>(layer.input.elements());
  layer.output = {};
  layer.mixing = Mixing::whole;
  // The loss of an image is a sum over its positions.
  layer.reach = layer.input.positions() > 1 ? Reach::global : Reach::whole;
  layer.work = {{{3 * elements, 1, 1, 0}, {2 * elements, 2, 1, 0}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kMeanSquaredLossKind{
    "mean_squared_loss", "mean squared error against targets", {}, 1, 1, true, describe};

}  // namespace oracle
