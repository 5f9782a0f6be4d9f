// What does joining tensors along the channels touch?
//
//   y = [x₁; x₂; …]
//
// A copy: forward reads and writes |y| in all, backward likewise for the pieces of dy. Nothing is
// kept. A rank's slice of y is not made of its slices of the inputs, so a cut of features needs
// them whole.
//
// Worked: 64x28x28 and 128x28x28: 192x28x28, 2 |y| touched   tests/graph/kinds/elementwise_test.cpp

#include <numeric>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr std::size_t kMostPieces = 4096;
constexpr std::int64_t kMostBlock = 16;

/// The mean of their channels, in blocks that each of them has whole.
std::int64_t mean_in_blocks(std::span<const Shape> inputs, std::int64_t sum) {
  std::int64_t block = kMostBlock;
  for (const Shape& shape : inputs) block = std::gcd(block, shape.channels());
  const std::int64_t blocks = sum / block, count = static_cast<std::int64_t>(inputs.size());
  return (blocks + count / 2) / count * block;
}

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
  layer.joined_channels = mean_in_blocks(inputs, layer.output.channels());
  layer.mixing = Mixing::whole;
  layer.reach = Reach::pointwise;
  layer.work = {{{0, 0, 2, 0}, {0, 0, 2, 0}, {}}};
}

}  // namespace

const Kind kConcatKind{"concat", "joins tensors along the channels", {}, 2, kMostPieces, false,
                       describe};

}  // namespace oracle
