// What does joining tensors along the channels touch?
//
//   y = [x₁; x₂; …]
//
// A copy: forward reads and writes |y| in all, backward likewise for the pieces of dy. Nothing is
// kept. A rank's slice of y is not made of its slices of the inputs, so a cut of features needs
// them whole.
//
// Worked: 64x28x28 and 128x28x28: 192x28x28, 2 |y| touched   tests/graph/kinds/elementwise_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr std::size_t kMostPieces = 4096;

void describe(Layer& layer, const Attributes&, std::span<const Shape> inputs) {
  layer.output = layer.input;
  layer.output[Axis::channel] = 0;
  for (const Shape& shape : inputs) {
    Shape positions = shape;
    positions[Axis::channel] = layer.input.channels();
    if (positions != layer.input) {
      throw InputError("", "its inputs are " + to_text(layer.input) + " and " + to_text(shape) +
                               ", and may differ in their channels only");
    }
    layer.output[Axis::channel] += shape.channels();
    bounded_product({layer.output.channels()}, "its output");
  }
  layer.mixing = Mixing::whole;
  layer.reach = Reach::pointwise;
  layer.work = {{{0, 0, 2, 0}, {0, 0, 2, 0}, {}}};
}

}  // namespace

const Kind kConcatKind{"concat", "joins tensors along the channels", {}, 2, kMostPieces, false,
                       describe};

}  // namespace oracle
