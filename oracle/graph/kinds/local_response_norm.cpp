// What does a local response normalization compute and touch?
//
//   y[c] = x[c] / (k + α/n · Σ x[c']²)^β,   c' the `size` channels around c
//                                                 Krizhevsky et al., NIPS 2012, section 3.3
//
// Forward reads x and writes y: a square, a running sum (2), a power and a product per element, 5
// operations. Backward needs x and y: reads x, y, dy and writes dx, 9 operations. Neighbouring
// channels meet, so a cut of features is not offered.
//
// Worked: 96x55x55: nothing to train, 290,400 outputs, 1.45 MFLOP forward
//                                                          tests/graph/kinds/normalization_test.cpp

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"size", "channels that are summed; 5"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  layer.summed_channels = attributes.integer("size", 1, 5);
  layer.output = layer.input;
  layer.mixing = Mixing::whole;
  layer.reach = Reach::pointwise;
  layer.work = {{{5, 1, 1, 0}, {9, 2, 2, 0}, {}}};
  layer.keeps_input = true;
  layer.keeps_output = true;
}

}  // namespace

const Kind kLocalResponseNormKind{
    "local_response_norm", "damps a channel by its neighbours", kAttributes, 1, 1, false, describe};

}  // namespace oracle
