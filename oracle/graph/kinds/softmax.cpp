// What does a softmax inside a network (attention) compute and touch?
//
//   y[i] = exp x[i] / Σ_j exp x[j],   i and j over the features of a group, or over the positions
//
// One group's values fit in cache: forward reads x and writes y; maximum, difference, exponential,
// sum and quotient, 5 operations per element; attention's scores are scaled and masked in the same
// kernel, unless a framework composes them (cost/compute/composed.h). Backward is dx = y·(dy − Σ
// dy·y): reads y and dy, writes dx, 4 operations. y is kept, and may overwrite x.
//
// Worked: 12 heads, 196 positions: 2.30 MFLOP forward tests/graph/kinds/normalization_test.cpp

#include "oracle/graph/kinds/groups.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"over", "channels or positions; channels"},
    {"groups", "independent groups of channels (heads); 1"},
    {"masked", "it scales its scores and adds a mask to them first; false"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const bool positions = attributes.choice("over", {"channels", "positions"}) == 1;
  layer.groups = read_groups(attributes, "groups", layer.input.channels());
  layer.heads.masked = attributes.flag("masked", false);
  layer.output = layer.input;
  layer.mixing = positions ? Mixing::channelwise : Mixing::whole;
  layer.reach = positions ? Reach::whole : Reach::pointwise;
  layer.work = {{{5, 1, 1, 0}, {4, 0, 3, 0}, {}}};
  layer.keeps_output = true;
  layer.in_place = true;
}

}  // namespace

const Kind kSoftmaxKind{
    "softmax", "shares of one over the channels or the positions", kAttributes, 1, 1, false,
    describe};

}  // namespace oracle
