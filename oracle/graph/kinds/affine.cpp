// What does adding or multiplying with a trained tensor compute and touch?
//
//   y = x + w   (a position embedding)   or   y = x · w   (a layer's scale),   w repeated to fit x
//
// As many elements for each channel are repeated along the channel's positions: w[c, p mod count],
// one per channel or one per value among them. Any other number is repeated along the sample,
// channels outermost: as many as positions are the same for all channels. Those belong to no
// feature, and a cut by features leaves the layer whole.
//
// Forward reads x and w and writes y, one operation per element. Of a sum, backward data hands dy
// on and backward weights adds it up; of a product, backward data reads dy and w and writes dx, and
// backward weights reads x and dy, two operations per element, so x is kept.
//
// Worked: 768x197 plus as many: 151,296 parameters            tests/graph/kinds/embedding_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"operation", "shift or scale; shift"},
    {"elements", "of the trained tensor; one per channel"},
};

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape>) {
  const bool scales = attributes.choice("operation", {"shift", "scale"}) == 1;
  const std::int64_t channels = layer.input.channels();
  const std::int64_t elements = attributes.integer("elements", 1, channels);
  if (layer.input.elements() % elements != 0) {
    throw InputError("",
                     "a tensor of " + std::to_string(elements) +
                         " elements cannot be repeated to " + to_text(layer.input),
                     "correct \"elements\"");
  }
  layer.variant = scales ? "scale" : "shift";
  layer.output = layer.input;
  const bool by_feature = elements % channels == 0;
  layer.mixing = by_feature ? Mixing::channelwise : Mixing::whole;
  layer.reach = Reach::pointwise;
  layer.weights = {{"weight", elements, by_feature ? channels : 1}};
  layer.keeps_input = scales;
  layer.in_place = !scales;
  if (scales) {
    layer.work = {{{1, 1, 1, 1}, {1, 1, 1, 1}, {2, 1, 1, 1}}};
  } else {
    layer.work = {{{1, 1, 1, 1}, {}, {1, 0, 1, 1}}};
  }
}

}  // namespace

const Kind kAffineKind{"affine", "sum or product with a trained tensor", kAttributes, 1, 1, false,
                       describe};

}  // namespace oracle
