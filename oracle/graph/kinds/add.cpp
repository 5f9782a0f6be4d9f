// What does a sum of tensors (a residual connection) compute and touch?
//
//   y = x₁ + x₂ + …, all of one shape
//
// Forward reads every input and writes y, which may overwrite x₁. Backward hands dy to each input
// as it is: no operation and no byte. (Adding up the gradients of a tensor with several readers
// belongs to that tensor, not to the sum.)
//
// Worked: two inputs of 256x56x56: 802,816 additions, 3 tensors touched
//                                                            tests/graph/kinds/elementwise_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr std::size_t kMostTerms = 64;

void describe(Layer& layer, const Attributes&, std::span<const Shape> inputs) {
  for (const Shape& shape : inputs) {
    if (shape == layer.input) continue;
    throw InputError("",
                     "its inputs are " + to_text(layer.input) + " and " + to_text(shape) +
                         ", and a sum needs equal shapes",
                     "project one of them with a convolution");
  }
  const auto terms = static_cast<double>(inputs.size());
  layer.output = layer.input;
  layer.mixing = Mixing::channelwise;
  layer.reach = Reach::pointwise;
  layer.work = {{{terms - 1, terms, 1, 0}, {}, {}}};
  layer.in_place = true;
}

}  // namespace

const Kind kAddKind{"add", "sum of tensors of one shape", {}, 2, kMostTerms, false, describe};

}  // namespace oracle
