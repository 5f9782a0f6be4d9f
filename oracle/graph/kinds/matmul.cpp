// What does the product of two activations (attention, written out) compute and touch?
//
//   y[p, g, n] = Σ_k a[p, g, k] · b[g, k, n]
//
// p runs over the positions of a, g over the groups (heads). Nothing is trained. Forward is one
// product, backward data are two: da = dy·bᵀ and db = aᵀ·dy, each with as many multiply-adds as
// forward, reading dy and the other operand. Both operands are kept.
//
// The elements of b, channels outermost, are b[g, k, n]: its channels are the groups' k, its
// positions n, as keys are. Turned they are b[g, n, k]: its channels are the output's, its
// positions k, as values are. A matrix product reads an operand turned as fast as straight, so the
// price is the same.
//
// Each output position needs one of a and all of b. Where positions are sharded, b is gathered and
// its gradient is a partial sum: context parallelism by gathered keys and values (Dubey et al.,
// arXiv 2407.21783, section 3.3.2). Groups are independent: the shards of features that keep groups
// whole are Megatron's attention by heads (Shoeybi et al., arXiv 1909.08053, section 3).
//
// Worked: 12 heads of 64 over 196 positions, scores: 29.5 M multiply-adds forward, 59.0 M backward
//                                                               tests/graph/kinds/matmul_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"features", "output features, of all groups together"},
    {"groups", "independent products (heads); 1"},
    {"turned", "whether the second input's positions are summed; where only that fits its shape"},
};

[[noreturn]] void refuse_shapes(const Layer& layer, const Shape& other, std::int64_t features) {
  throw InputError("",
                   "its inputs are " + to_text(layer.input) + " and " + to_text(other) +
                       ", and no product of them in " + std::to_string(layer.groups) +
                       " groups has " + std::to_string(features) + " features",
                   "correct \"features\" or \"groups\"");
}

/// Where both orders fit, its channels are summed.
bool only_fits_turned(const Layer& layer, const Shape& other, std::int64_t features) {
  const std::int64_t straight = layer.reduction * layer.groups;
  return other.channels() == features && other.positions() == layer.reduction &&
         other.channels() != straight;
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  const std::int64_t features = attributes.integer("features", 1);
  const Shape& other = inputs[1];
  layer.groups = attributes.integer("groups", 1, 1);
  const std::int64_t channels = layer.input.channels();
  if (channels % layer.groups != 0 || features % layer.groups != 0) {
    refuse_shapes(layer, other, features);
  }
  layer.reduction = channels / layer.groups;
  if (other.elements() % features != 0 || other.elements() / features != layer.reduction) {
    refuse_shapes(layer, other, features);
  }
  layer.turned = attributes.flag("turned", only_fits_turned(layer, other, features));
  layer.output = layer.input;
  layer.output[Axis::channel] = features;
  layer.mixing = layer.groups > 1 ? Mixing::contraction : Mixing::whole;
  layer.reach = Reach::pointwise;
  layer.others_read_whole = true;
  layer.other_elements = other.elements();
  const double second_product = 2 * static_cast<double>(layer.reduction);
  layer.work = {{{0, 1, 1, 0, 1}, {second_product, 2, 2, 0, 2}, {}}};
  layer.keeps_input = true;
}

}  // namespace

const Kind kMatmulKind{"matmul", "matrix product of two tensors", kAttributes, 2, 2, false,
                       describe};

}  // namespace oracle
