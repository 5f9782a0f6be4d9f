// What does a root-mean-square normalization compute and touch?
//
//   y = γ·x / √(mean(x²) + ε),   the mean per position over all channels, or over those of a group
//                                                     Zhang & Sennrich, arXiv 1910.07467
//
// As a layer normalization without mean and shift: forward 4 operations per element, backward data
// 7, the sum for dγ 3. Groups are heads: all of them share one γ of a head's length, which belongs
// to no feature of the output, or each has its own.
//
// Worked: 4096 channels: 4096 parameters; 32 heads of 128: 128
//                                                          tests/graph/kinds/transformer_test.cpp

#include "oracle/graph/kinds/groups.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"groups", "groups of channels (heads) that are normalized apart, with one weight; 1"},
    {"apart", "whether each group has a weight of its own; false"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  layer.groups = read_groups(attributes, "groups", layer.input.channels());
  const std::int64_t length = layer.input.channels() / layer.groups;
  layer.output = layer.input;
  layer.mixing = Mixing::whole;
  layer.reach = Reach::pointwise;
  const bool shares = layer.groups > 1 && !attributes.flag("apart", false);
  const std::int64_t weights = shares ? length : layer.input.channels();
  layer.weights = {{"gamma", weights, shares ? 1 : weights}};
  layer.work = {{{4, 1, 1, 1}, {7, 2, 1, 1}, {3, 1, 1, 1}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kRmsNormKind{
    "rms_norm",  "divides each position by the root mean square of its channels",
    kAttributes, 1,
    1,           false,
    describe};

}  // namespace oracle
