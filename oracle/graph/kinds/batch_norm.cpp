// What does a batch normalization compute and touch in training?
//
//   y = γ·(x − μ)/√(σ² + ε) + β,   μ, σ² per channel over all samples and positions of the batch
//                                               Ioffe & Szegedy, ICML 2015, Algorithm 1
//
// Forward reads x for the statistics and again to normalize, and writes y: 2 |x| + 1 |y|; 5
// operations per element (sum; square and sum; scale and shift, folded). Backward reads x and dy
// for the sums Σdy and Σdy·x̂, reads both again and writes dx = a·dy + b·x + c: 3 |x| + 2 |y|; 5 + 4
// operations. The two sums are dβ and dγ, so backward weights costs nothing more. x is kept; y is
// not.
//
// The statistics of a batch are Σx and Σx² (backward: Σdy and Σdy·x̂), 2·C elements to add up when
// they are synchronized over ranks.
//
// Worked: 64 channels: 128 parameters, 128 statistics         tests/graph/kinds/batch_norm_test.cpp

#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"affine", "whether γ and β are trained; true"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t channels = layer.input.channels();
  layer.output = layer.input;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  layer.batch_statistics = true;
  layer.statistics = 2 * channels;
  if (attributes.flag("affine", true)) {
    layer.weights = {{"gamma", channels, channels}, {"beta", channels, channels}};
  }
  layer.work = {{{5, 2, 1, 1}, {9, 3, 2, 1}, {0, 0, 0, 1}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kBatchNormKind{
    "batch_norm", "normalizes each channel over the batch", kAttributes, 1, 1, false, describe};

}  // namespace oracle
