// What does a group normalization compute and touch?
//
//   y = γ·(x − μ)/√(σ² + ε) + β,   μ, σ² per sample and group of channels over all positions
//                                               Wu & He, ECCV 2018; a group per channel is the
//                                               instance normalization of Ulyanov et al., 2016
//
// Touches and operations are those of a batch normalization. The statistics are a sample's own, so
// nothing is exchanged over samples; they need all positions, so these are not cut. Groups are
// independent.
//
// Worked: 32 groups of 64 channels: 128 parameters      tests/graph/kinds/normalization_test.cpp

#include "oracle/graph/kinds/groups.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"groups", "groups of channels with statistics of their own; a group per channel"},
    {"affine", "whether γ and β are trained; true"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const std::int64_t channels = layer.input.channels();
  layer.groups = read_groups(attributes, "groups", channels, channels);
  layer.output = layer.input;
  layer.mixing = layer.groups == channels ? Mixing::channelwise : Mixing::whole;
  layer.reach = layer.input.positions() > 1 ? Reach::whole : Reach::pointwise;
  if (attributes.flag("affine", true)) {
    layer.weights = {{"gamma", channels, channels}, {"beta", channels, channels}};
  }
  layer.work = {{{5, 2, 1, 1}, {9, 3, 2, 1}, {0, 0, 0, 1}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kGroupNormKind{"group_norm",
                          "normalizes groups of channels over a sample's positions",
                          kAttributes,
                          1,
                          1,
                          false,
                          describe};

}  // namespace oracle
