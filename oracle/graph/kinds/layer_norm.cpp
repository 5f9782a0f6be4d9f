// What does a layer normalization compute and touch?
//
//   y = γ·(x − μ)/√(σ² + ε) + β,   μ, σ² per position over all channels
//                                               Ba, Kiros & Hinton, arXiv 1607.06450
//
// One position's channels fit in cache, so forward reads x once and writes y; 5 operations per
// element. Backward data reads x and dy and writes dx, 9 operations; the sums over positions for dγ
// and dβ are a pass of their own over x and dy, 4 operations. Every output needs all channels of
// its position.
//
// Worked: 768 channels: 1536 parameters                    tests/graph/kinds/normalization_test.cpp

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

void describe(Layer& layer, const Attributes&, std::span<const Shape>) {
  const std::int64_t channels = layer.input.channels();
  layer.output = layer.input;
  layer.mixing = Mixing::whole;
  layer.reach = Reach::pointwise;
  layer.weights = {{"gamma", channels, channels}, {"beta", channels, channels}};
  layer.work = {{{5, 1, 1, 1}, {9, 2, 1, 1}, {4, 1, 1, 1}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kLayerNormKind{
    "layer_norm", "normalizes each position over the channels", {}, 1, 1, false, describe};

}  // namespace oracle
